import { InvariantError, type ReconcileError } from '#lib/errors.ts';
import { resourceName } from '#lib/kind/reference.ts';
import type {
  ApiMeta,
  ApiObject,
  ApiPage,
  ApiResource,
  ApiTarget,
  DeleteOptions,
  KubeApi,
  WatchEvent,
  WatchOptions,
} from '#lib/kube/api.ts';
import { type Key, keyOf } from '#lib/loop/key.ts';
import { applyMergePatch } from './merge-patch.ts';
import { alreadyExists, conflict, notFound } from './server-answers.ts';

/** One request, as it was counted. */
export interface FakeRequest {
  readonly verb: 'list' | 'watch' | 'get' | 'create' | 'patchStatus' | 'delete';
  readonly resource: string;
  readonly name: string;
}

/** Decides whether a request fails, and with what. */
export type Fault = (request: FakeRequest) => ReconcileError | undefined;

/** What others write: metadata is completed by the server. */
export interface WrittenObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

interface Recorded {
  readonly resource: string;
  readonly event: Exclude<WatchEvent, { readonly type: 'BOOKMARK' }>;
}

type Meta = ApiMeta & { readonly generation?: number };

/** An API server in memory: as far as the loop can tell, the real one. Objects that leave it are copies. */
export class FakeApi implements KubeApi {
  /** Every request that arrived, refused ones included. */
  readonly requests: FakeRequest[] = [];
  /** Refuses a request before anything happens. */
  refuse: Fault = () => undefined;
  /** Carries a request out and fails nevertheless: the answer is lost. */
  loseAnswer: Fault = () => undefined;
  /** Runs when a request has arrived and before it is carried out. */
  before: (request: FakeRequest) => void | Promise<void> = () => undefined;
  /** True for objects that stay for a while, terminating, when they are deleted. */
  lingers: (object: ApiObject) => boolean = () => false;
  readonly #objects = new Map<string, Map<Key, ApiObject>>();
  readonly #history: Recorded[] = [];
  readonly #watchers = new Set<(recorded: Recorded) => void>();
  #resourceVersion = 100;
  #uids = 0;

  get resourceVersion(): string {
    return String(this.#resourceVersion);
  }

  /** The requests that change something. */
  get writes(): FakeRequest[] {
    return this.requests.filter(({ verb }) => verb === 'create' || verb === 'patchStatus' || verb === 'delete');
  }

  /** All objects of a resource, sorted by name. */
  all(resource: ApiResource): ApiObject[] {
    const objects = [...this.#of(resource).values()];
    return structuredClone(objects.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)));
  }

  /** One object, which must exist. */
  one(resource: ApiResource, name: string, namespace = 'default'): ApiObject {
    const object = this.#of(resource).get(keyOf(namespace, name));
    if (!object) throw new InvariantError(`The test expected ${resource.plural} "${name}" to exist`);
    return structuredClone(object);
  }

  /** What a watch of this resource would have delivered since. */
  eventsSince(resource: ApiResource, resourceVersion: string): WatchEvent[] {
    const id = resourceName(resource);
    const after = Number(resourceVersion);
    return this.#history
      .filter((it) => it.resource === id && Number(it.event.object.metadata.resourceVersion) > after)
      .map(({ event }) => structuredClone(event));
  }

  /** Somebody else creates or replaces an object; a change of its spec raises its generation. */
  put(resource: ApiResource, object: WrittenObject): ApiObject {
    const key = keyOf(object.metadata.namespace, object.metadata.name);
    const before = this.#of(resource).get(key);
    const old: Meta | undefined = before?.metadata;
    const changed = before !== undefined && JSON.stringify(before['spec']) !== JSON.stringify(object['spec']);
    const metadata = {
      ...object.metadata,
      uid: old?.uid ?? `uid-${(this.#uids += 1)}`,
      generation: (old?.generation ?? 1) + (changed ? 1 : 0),
      creationTimestamp: '2026-11-21T09:00:00Z',
    };
    return this.#store(resource, before ? 'MODIFIED' : 'ADDED', { ...object, metadata });
  }

  /** Somebody else changes an object. */
  edit(resource: ApiResource, name: string, change: (object: ApiObject) => object): ApiObject {
    return this.put(resource, change(this.one(resource, name)) as WrittenObject);
  }

  /** An object is gone, by whatever hand. */
  vanish(resource: ApiResource, name: string, namespace = 'default'): void {
    const object = this.one(resource, name, namespace);
    this.#store(resource, 'DELETED', object);
  }

  async list(resource: ApiResource): Promise<ApiPage> {
    return this.#answer({ verb: 'list', resource: resourceName(resource), name: '' }, () => ({
      items: this.all(resource),
      resourceVersion: this.resourceVersion,
    }));
  }

  async watch(resource: ApiResource, options: WatchOptions, onEvent: (event: WatchEvent) => void): Promise<void> {
    const id = resourceName(resource);
    await this.#answer({ verb: 'watch', resource: id, name: '' }, () => undefined);
    const { promise, resolve } = Promise.withResolvers<void>();
    const deliver = (recorded: Recorded): void => {
      if (recorded.resource === id) onEvent(structuredClone(recorded.event));
    };
    for (const event of this.eventsSince(resource, options.resourceVersion)) onEvent(event);
    this.#watchers.add(deliver);
    if (options.signal.aborted) resolve();
    options.signal.addEventListener('abort', () => resolve());
    await promise;
    this.#watchers.delete(deliver);
  }

  async get(resource: ApiResource, target: ApiTarget): Promise<ApiObject> {
    const request = { verb: 'get', resource: resourceName(resource), name: target.name } as const;
    return this.#answer(request, () => structuredClone(this.#existing(resource, target)));
  }

  async create(
    resource: ApiResource,
    object: object,
    { namespace = '' }: { readonly namespace?: string },
  ): Promise<ApiObject> {
    const written = structuredClone(object) as WrittenObject;
    const { name } = written.metadata;
    return this.#answer({ verb: 'create', resource: resourceName(resource), name }, () => {
      if (written.metadata.namespace !== namespace) throw new InvariantError('The namespaces of path and body differ');
      if (this.#of(resource).has(keyOf(namespace, name))) throw alreadyExists(resource.plural, name);
      return this.put(resource, written);
    });
  }

  async patchStatus(resource: ApiResource, target: ApiTarget, patch: object): Promise<ApiObject> {
    const request = { verb: 'patchStatus', resource: resourceName(resource), name: target.name } as const;
    // A uid in such a patch is ignored by real servers, too.
    const { metadata: { resourceVersion } = {}, status } = patch as {
      readonly metadata?: { readonly resourceVersion?: string };
      readonly status: unknown;
    };
    return this.#answer(request, () => {
      const before = this.#existing(resource, target);
      this.#demand(resource, before, resourceVersion === undefined ? {} : { resourceVersion });
      const after = { ...before, status: applyMergePatch(before['status'], structuredClone(status)) };
      const same = JSON.stringify(after) === JSON.stringify(before);
      return same ? structuredClone(before) : this.#store(resource, 'MODIFIED', after);
    });
  }

  async delete(resource: ApiResource, target: ApiTarget, options: DeleteOptions): Promise<ApiObject | undefined> {
    const request = { verb: 'delete', resource: resourceName(resource), name: target.name } as const;
    return this.#answer(request, () => {
      const before = this.#existing(resource, target);
      this.#demand(resource, before, options);
      if (!this.lingers(before) || options.gracePeriodSeconds === 0) {
        this.#store(resource, 'DELETED', before);
        return undefined;
      }
      const terminating = {
        deletionTimestamp: '2026-11-21T10:00:00Z',
        deletionGracePeriodSeconds: options.gracePeriodSeconds ?? 30,
      };
      return this.#store(resource, 'MODIFIED', { ...before, metadata: { ...before.metadata, ...terminating } });
    });
  }

  async #answer<A>(request: FakeRequest, carryOut: () => A): Promise<A> {
    this.requests.push(request);
    await this.before(request);
    const refusal = this.refuse(request);
    if (refusal) throw refusal;
    const answer = carryOut();
    const loss = this.loseAnswer(request);
    if (loss) throw loss;
    return answer;
  }

  #of(resource: ApiResource): Map<Key, ApiObject> {
    const id = resourceName(resource);
    const objects = this.#objects.get(id) ?? new Map<Key, ApiObject>();
    this.#objects.set(id, objects);
    return objects;
  }

  #existing(resource: ApiResource, { namespace, name }: ApiTarget): ApiObject {
    const object = this.#of(resource).get(keyOf(namespace, name));
    if (!object) throw notFound(resource.plural, name);
    return object;
  }

  #demand(
    { plural }: ApiResource,
    { metadata }: ApiObject,
    { uid = metadata.uid, resourceVersion = metadata.resourceVersion }: Partial<DeleteOptions>,
  ): void {
    const differs = uid !== metadata.uid || resourceVersion !== metadata.resourceVersion;
    if (differs) throw conflict(plural, metadata.name, 'Precondition failed');
  }

  #store(
    resource: ApiResource,
    type: 'ADDED' | 'MODIFIED' | 'DELETED',
    { metadata, ...rest }: { readonly metadata: Record<string, unknown> | Meta },
  ): ApiObject {
    this.#resourceVersion += 1;
    const stored = structuredClone({
      ...rest,
      metadata: { ...metadata, resourceVersion: this.resourceVersion },
    }) as unknown as ApiObject;
    const key = keyOf(stored.metadata.namespace, stored.metadata.name);
    if (type === 'DELETED') this.#of(resource).delete(key);
    else this.#of(resource).set(key, stored);
    const recorded = { resource: resourceName(resource), event: { type, object: stored } };
    this.#history.push(recorded);
    for (const deliver of this.#watchers) deliver(recorded);
    return structuredClone(stored);
  }
}
