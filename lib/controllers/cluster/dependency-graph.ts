import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { isEvents, resourceKey } from '#lib/apiserver/machinery/resources.ts';
import { byText } from '#lib/apiserver/machinery/text/order.ts';
import { equalJson } from '#lib/json.ts';
import type { OwnerReference } from '#lib/kind/handles/reference.ts';
import { byKey, objectKey } from '../informer.ts';
import type { CatalogEntry, ResourceCatalog } from './resource-catalog.ts';

/** A stored object, and the catalog entry of its resource. */
export interface GraphNode {
  readonly entry: CatalogEntry;
  readonly object: ServerObject;
}

/** The resource and the key of an object, such as `deployments.apps default/web`. */
export const nodeText = ({ entry, object }: GraphNode): string => `${resourceKey(entry.resource)} ${objectKey(object)}`;

const byResource = (a: GraphNode, b: GraphNode): number =>
  byText(resourceKey(a.entry.resource), resourceKey(b.entry.resource)) || byKey(a.object, b.object);

const ownersOf = ({ metadata }: ServerObject): readonly string[] =>
  (metadata.ownerReferences ?? []).map(({ uid }) => uid);

const coordinates = ({ apiVersion, kind, name }: OwnerReference, namespace: string | undefined): string =>
  `${apiVersion} ${kind} ${namespace ?? ''}/${name}`;

/** The fields of an object that determine what happens to its dependents. */
const matterOf = ({ metadata }: ServerObject): unknown => [metadata.deletionTimestamp, metadata.finalizers];

/**
 * All objects except events, by uid, with their dependents.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/garbagecollector/graph.go
 */
export class DependencyGraph {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #dependents = new Map<string, Set<string>>();
  /** Deleted owners to which an object still refers, by uid: API version, kind, namespace and name. */
  readonly #absent = new Map<string, string>();
  readonly #mark: (uid: string) => void;

  /** @param mark - called with the uid of every object that the garbage collector must check after a change */
  constructor(catalog: ResourceCatalog, mark: (uid: string) => void) {
    this.#mark = mark;
    catalog.subscribe((entry, now, before) => {
      if (!isEvents(entry.resource)) this.#take(entry, now, before);
    });
  }

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  uids(): Iterable<string> {
    return this.#nodes.keys();
  }

  /** Objects that have an owner reference with this uid, sorted by resource, namespace and name. */
  dependentsOf(uid: string): readonly GraphNode[] {
    const uids = [...(this.#dependents.get(uid) ?? [])];
    return uids.flatMap((dependent) => this.#nodes.get(dependent) ?? []).toSorted(byResource);
  }

  /**
   * Whether the owner that `reference` names was deleted while dependents still referred to it. While such a dependent exists,
   * the answer stays true, even if the kind of the owner is no longer served.
   */
  isAbsent(reference: OwnerReference, namespace: string | undefined): boolean {
    const absent = this.#absent.get(reference.uid);
    return absent === coordinates(reference, namespace) || absent === coordinates(reference, undefined);
  }

  /** The uids of deleted owners to which an object still refers; undefined if there are none. */
  memory(): unknown {
    return this.#absent.size === 0 ? undefined : [...this.#absent.keys()];
  }

  hasDependents(uid: string): boolean {
    return this.#dependents.has(uid);
  }

  #take(entry: CatalogEntry, now: ServerObject | undefined, before: ServerObject | undefined): void {
    if (before) this.#unlink(before);
    if (now) this.#link(entry, now);
    else if (before && this.hasDependents(before.metadata.uid)) this.#rememberAbsent(before);
    const uids = new Set([before, now].flatMap((object) => (object ? [object.metadata.uid, ...ownersOf(object)] : [])));
    for (const uid of uids) this.#mark(uid);
    if (now && before && now.metadata.uid === before.metadata.uid && equalJson(matterOf(now), matterOf(before))) return;
    for (const object of [before, now]) {
      if (object) for (const uid of this.#dependents.get(object.metadata.uid) ?? []) this.#mark(uid);
    }
  }

  #rememberAbsent({ apiVersion, kind, metadata: { uid, name, namespace } }: ServerObject): void {
    this.#absent.set(uid, coordinates({ apiVersion, kind, name, uid }, namespace));
  }

  #link(entry: CatalogEntry, object: ServerObject): void {
    const { uid } = object.metadata;
    this.#nodes.set(uid, { entry, object });
    for (const owner of ownersOf(object)) {
      const dependents = this.#dependents.get(owner);
      if (dependents) dependents.add(uid);
      else this.#dependents.set(owner, new Set([uid]));
    }
  }

  #unlink(object: ServerObject): void {
    const { uid } = object.metadata;
    this.#nodes.delete(uid);
    for (const owner of ownersOf(object)) {
      const dependents = this.#dependents.get(owner);
      dependents?.delete(uid);
      if (dependents?.size !== 0) continue;
      this.#dependents.delete(owner);
      this.#absent.delete(owner);
    }
  }
}
