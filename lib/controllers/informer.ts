import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ResourceName, ServerEvent } from '#lib/apiserver/machinery/request.ts';
import type { ApiServer, OpenWatch } from '#lib/apiserver/machinery/server.ts';
import { byText } from '#lib/apiserver/machinery/text/order.ts';

/**
 * Called for every change, with the new and the previous state of an object. A deleted object has no new state, and a created
 * object has no previous state.
 */
type ChangeHandler = (now: ServerObject | undefined, before: ServerObject | undefined) => void;

/** The key of an object: `namespace/name`, or only the name for a cluster-scoped object. */
export const objectKey = ({ metadata }: ServerObject): string =>
  metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;

/** Compares objects by namespace, and then by name. */
export const byKey = (a: ServerObject, b: ServerObject): number =>
  byText(a.metadata.namespace ?? '', b.metadata.namespace ?? '') || byText(a.metadata.name, b.metadata.name);

const NONE: readonly ServerObject[] = [];

/**
 * The current objects of one resource. The objects are never outdated, because each event arrives during the write that causes
 * the event.
 */
export class Informer {
  readonly resource: ResourceName;
  readonly #objects = new Map<string, ServerObject>();
  readonly #byNamespace = new Map<string, Map<string, ServerObject>>();
  readonly #sorted = new Map<string, readonly ServerObject[]>();
  readonly #handlers: ChangeHandler[] = [];
  readonly #watch: OpenWatch;

  constructor(server: ApiServer, resource: ResourceName) {
    this.resource = resource;
    this.#watch = server.watch({ resource, resourceVersion: '0' }, (event) => this.#take(event));
  }

  /** Calls `handler` for every existing object, then for every change. */
  subscribe(handler: ChangeHandler): void {
    this.#handlers.push(handler);
    for (const object of this.#objects.values()) handler(object, undefined);
  }

  get(key: string): ServerObject | undefined {
    return this.#objects.get(key);
  }

  /**
   * The objects of a namespace, or without an argument the cluster-scoped objects, sorted by name. The result is the same list
   * until one of these objects changes, appears or disappears.
   */
  list(namespace = ''): readonly ServerObject[] {
    const known = this.#sorted.get(namespace);
    if (known) return known;
    const group = this.#byNamespace.get(namespace);
    if (!group) return NONE;
    const sorted = [...group.values()].toSorted(byKey);
    this.#sorted.set(namespace, sorted);
    return sorted;
  }

  /** All objects, in no particular order. */
  all(): Iterable<ServerObject> {
    return this.#objects.values();
  }

  get size(): number {
    return this.#objects.size;
  }

  close(): void {
    this.#watch.close();
  }

  /** Removes every object, and calls the handlers as if the objects were deleted. */
  clear(): void {
    for (const object of [...this.#objects.values()].toSorted(byKey)) this.#take({ type: 'DELETED', object });
  }

  #take(event: ServerEvent): void {
    if (event.type === 'BOOKMARK' || event.type === 'ERROR') return;
    const { object } = event;
    const key = objectKey(object);
    const before = this.#objects.get(key);
    const now = event.type === 'DELETED' ? undefined : object;
    this.#keep(key, object.metadata.namespace ?? '', now);
    for (const handler of this.#handlers) handler(now, before);
  }

  #keep(key: string, namespace: string, object: ServerObject | undefined): void {
    let group = this.#byNamespace.get(namespace);
    if (!group) this.#byNamespace.set(namespace, (group = new Map()));
    if (object) {
      this.#objects.set(key, object);
      group.set(key, object);
    } else {
      this.#objects.delete(key);
      group.delete(key);
      if (group.size === 0) this.#byNamespace.delete(namespace);
    }
    this.#sorted.delete(namespace);
  }
}

const informerKey = ({ group, version, plural }: ResourceName): string => `${group}/${version}/${plural}`;

/** The informers that all actors share. Each resource has one informer, which is opened on first use. */
export class Informers {
  readonly #server: ApiServer;
  readonly #informers = new Map<string, Informer>();

  constructor(server: ApiServer) {
    this.#server = server;
  }

  /** Returns the informer of a resource. @throws {StatusError} when the resource is not served */
  of(resource: ResourceName): Informer {
    const key = informerKey(resource);
    let informer = this.#informers.get(key);
    if (!informer) this.#informers.set(key, (informer = new Informer(this.#server, resource)));
    return informer;
  }

  /** Closes the informer of a resource that is no longer served. Its subscribers are called as if all objects were deleted. */
  drop(informer: Informer): void {
    this.#informers.delete(informerKey(informer.resource));
    informer.close();
    informer.clear();
  }

  /** Closes all watches. */
  close(): void {
    for (const informer of this.#informers.values()) informer.close();
    this.#informers.clear();
  }
}
