import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ServerResponse } from '#lib/apiserver/machinery/request.ts';
import type { OwnerReference } from '#lib/kind/handles/reference.ts';
import type { Actor } from '../actor.ts';
import { type ActorContext, fieldManagers, requestFor } from '../context.ts';
import { type Sync, SyncController, type SyncResult, type Write } from '../sync-controller.ts';
import { DependencyGraph, type GraphNode, nodeText } from './dependency-graph.ts';
import type { ResourceCatalog } from './resource-catalog.ts';

const FOREGROUND = 'foregroundDeletion';
const ORPHAN = 'orphan';

interface World {
  readonly catalog: ResourceCatalog;
  readonly graph: DependencyGraph;
  readonly elsewhere: ReadonlySet<string>;
}

type Writes = Generator<Write, SyncResult, ServerResponse>;

const hasFinalizer = ({ metadata }: ServerObject, finalizer: string): boolean =>
  metadata.finalizers?.includes(finalizer) ?? false;

const isDeletingDependents = (object: ServerObject): boolean =>
  object.metadata.deletionTimestamp !== undefined && hasFinalizer(object, FOREGROUND);

/** Sends a write. The write also counts as successful when the object is already deleted. */
function* write(label: string, request: Write['request']): Writes {
  const { code } = yield { label, request };
  return { failed: code >= 300 && code !== 404 };
}

/**
 * A merge patch of metadata, which fails if the object has changed since it was read. The real controller sends a strategic merge
 * patch for kinds that support it.
 */
const metadataPatch = ({ entry, object }: GraphNode, change: object): Write['request'] =>
  requestFor(entry.resource, object, {
    verb: 'patch',
    patchType: 'merge',
    options: { fieldManager: fieldManagers.controllers },
    body: { metadata: { resourceVersion: object.metadata.resourceVersion, ...change } },
  });

const withoutOwners = ({ object }: GraphNode, uids: ReadonlySet<string>): object => {
  const left = (object.metadata.ownerReferences ?? []).filter(({ uid }) => !uids.has(uid));
  return { ownerReferences: left.length === 0 ? null : left };
};

const deletion = ({ entry, object }: GraphNode, propagationPolicy: string): Write['request'] =>
  requestFor(entry.resource, object, {
    verb: 'delete',
    body: {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      preconditions: { uid: object.metadata.uid, resourceVersion: object.metadata.resourceVersion },
      propagationPolicy,
    },
  });

const removeFinalizer = (node: GraphNode, finalizer: string): Writes => {
  const finalizers = (node.object.metadata.finalizers ?? []).filter((name) => name !== finalizer);
  const request = metadataPatch(node, { finalizers: finalizers.length === 0 ? null : finalizers });
  return write(`remove finalizer ${finalizer} from ${nodeText(node)}`, request);
};

/**
 * Removes the owner reference from the first dependent of a terminating owner. Without dependents, removes the finalizer `orphan`
 * of the owner.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/garbagecollector/garbagecollector.go (`attemptToOrphanWorker`)
 */
function* orphanDependents(node: GraphNode, { graph }: World): Writes {
  const { uid } = node.object.metadata;
  const [dependent] = graph.dependentsOf(uid);
  if (!dependent) return yield* removeFinalizer(node, ORPHAN);
  return yield* write(
    `orphan ${nodeText(dependent)}`,
    metadataPatch(dependent, withoutOwners(dependent, new Set([uid]))),
  );
}

/**
 * Removes the finalizer of an owner in foreground deletion, when no dependent blocks the deletion.
 *
 * @see garbagecollector.go (`processDeletingDependentsItem`)
 */
function* waitForDependents(node: GraphNode, { graph }: World): Writes {
  const { uid } = node.object.metadata;
  const isBlocking = (reference: OwnerReference): boolean =>
    reference.uid === uid && reference.blockOwnerDeletion === true;
  const isBlocked = graph.dependentsOf(uid).some(({ object }) => object.metadata.ownerReferences?.some(isBlocking));
  return isBlocked ? {} : yield* removeFinalizer(node, FOREGROUND);
}

type OwnerState = 'solid' | 'dangling' | 'waiting' | 'unknown';

/**
 * The state of an owner. An owner is `solid` if it exists, or if its uid is in `elsewhere`. It is `waiting` in foreground
 * deletion, and `dangling` if it does not exist. An owner with the same name and another uid counts as absent. Unless the owner
 * is known to be deleted, its state is `unknown` if its kind is not served. The same applies to a namespaced owner of a
 * cluster-scoped object.
 *
 * @see garbagecollector.go (`isDangling`, `classifyReferences`)
 */
const stateOf = (
  reference: OwnerReference,
  { object }: GraphNode,
  { catalog, graph, elsewhere }: World,
): OwnerState => {
  const { namespace } = object.metadata;
  if (elsewhere.has(reference.uid)) return 'solid';
  if (graph.isAbsent(reference, namespace)) return 'dangling';
  const entry = catalog.find(reference.apiVersion, reference.kind);
  if (!entry || (entry.isNamespaced && namespace === undefined)) return 'unknown';
  const owner = entry.informer.get(entry.isNamespaced ? `${namespace ?? ''}/${reference.name}` : reference.name);
  if (owner?.metadata.uid !== reference.uid) return 'dangling';
  return isDeletingDependents(owner) ? 'waiting' : 'solid';
};

/** Deletes an object in the foreground, because an owner waits for the deletion and the object has dependents. */
function* deleteInForeground(node: GraphNode, { graph }: World): Writes {
  const dependents = graph.dependentsOf(node.object.metadata.uid);
  const references = node.object.metadata.ownerReferences ?? [];
  // The object may be in a cycle of owners, which would wait for each other. To break the cycle, the object stops blocking its
  // owners.
  if (dependents.some(({ object }) => isDeletingDependents(object)) && references.some((r) => r.blockOwnerDeletion)) {
    const ownerReferences = references.map((reference) => ({ ...reference, blockOwnerDeletion: false }));
    return yield* write(`unblock owners of ${nodeText(node)}`, metadataPatch(node, { ownerReferences }));
  }
  return yield* write(`delete ${nodeText(node)} in the foreground`, deletion(node, 'Foreground'));
}

const policyOf = (object: ServerObject): string => {
  if (hasFinalizer(object, ORPHAN)) return 'Orphan';
  return hasFinalizer(object, FOREGROUND) ? 'Foreground' : 'Background';
};

/**
 * Deletes an object if all its owners are `dangling` or `waiting`. If at least one owner is `solid`, removes the references to
 * `dangling` and `waiting` owners instead. If an owner is `unknown`, does nothing.
 *
 * @see garbagecollector.go (`attemptToDeleteItem`)
 */
function* judge(node: GraphNode, world: World): Writes {
  const references = node.object.metadata.ownerReferences ?? [];
  if (references.length === 0) return {};
  const states = references.map((reference) => ({ uid: reference.uid, state: stateOf(reference, node, world) }));
  const having = (wanted: OwnerState): readonly string[] =>
    states.filter(({ state }) => state === wanted).map(({ uid }) => uid);
  // If the kind of an owner is not served, the owner may still exist, so the object is not deleted.
  if (having('unknown').length > 0) return {};
  const lost = [...having('dangling'), ...having('waiting')];
  if (having('solid').length > 0) {
    if (lost.length === 0) return {};
    return yield* write(
      `remove lost owners of ${nodeText(node)}`,
      metadataPatch(node, withoutOwners(node, new Set(lost))),
    );
  }
  if (having('waiting').length > 0 && world.graph.hasDependents(node.object.metadata.uid)) {
    return yield* deleteInForeground(node, world);
  }
  return yield* write(`delete ${nodeText(node)}`, deletion(node, policyOf(node.object)));
}

function* syncObject(uid: string, world: World): Sync {
  const node = world.graph.get(uid);
  if (!node) return {};
  if (node.object.metadata.deletionTimestamp === undefined) return yield* judge(node, world);
  if (hasFinalizer(node.object, ORPHAN)) return yield* orphanDependents(node, world);
  if (hasFinalizer(node.object, FOREGROUND)) return yield* waitForDependents(node, world);
  return {};
}

/**
 * Deletes dependents when none of their owners exists any more, and removes references to missing owners from other dependents.
 * Completes orphaning and foreground deletions. Each step is one write. The graph of this actor is always up to date; the graph
 * of a real garbage collector may be outdated.
 */
export const garbageCollector = (
  context: ActorContext,
  catalog: ResourceCatalog,
  elsewhere: ReadonlySet<string> = new Set(),
): Actor => {
  const controller: SyncController = new SyncController({
    name: 'garbage collector',
    context,
    sync: (uid) => syncObject(uid, { catalog, graph, elsewhere }),
  });
  const graph = new DependencyGraph(catalog, (uid) => controller.mark(uid));
  catalog.onKinds(() => {
    for (const uid of graph.uids()) controller.mark(uid);
  });
  const memory = (): unknown => {
    const [absent, queue] = [graph.memory(), controller.memory()];
    return absent === undefined && queue === undefined ? undefined : { absent, queue };
  };
  return { name: controller.name, steps: () => controller.steps(), memory };
};
