import { selects } from '#lib/apiserver/machinery/label-selector.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { resources } from '#lib/apiserver/machinery/resources.ts';
import type { Actor } from '../../actor.ts';
import { type ActorContext, fieldManagers, updateOf } from '../../context.ts';
import { objectKey } from '../../informer.ts';
import { claim, markFamilies, OwnedIndex } from '../../ownership.ts';
import { type Sync, SyncController, type Writes } from '../../sync-controller.ts';
import type { StoredPod } from '../../workload.ts';
import { RefusedWriteError } from '../deployment-writes.ts';
import { nextAvailability } from '../replica-set-status.ts';
import { byNumber } from './revisions.ts';
import { memberPlace, memberRevision, type SetRevisions } from './stateful-set-identity.ts';
import { manageMembers, sortMembers } from './stateful-set-members.ts';
import { revisionsFor, truncateHistory } from './stateful-set-revisions.ts';
import { countMembers, isSetStatusStored, statefulSetStatus } from './stateful-set-status.ts';
import type { StatefulSetStatus, StoredRevision, StoredStatefulSet } from './stored-sets.ts';

/** Maximum number of attempts to write the status in spite of conflicts. @see client-go util/retry (`DefaultRetry`) */
const STATUS_ATTEMPTS = 5;

interface World {
  readonly context: ActorContext;
  readonly pods: OwnedIndex;
  readonly revisions: OwnedIndex;
}

function* reportStatus(set: StoredStatefulSet, status: StatefulSetStatus, { informers }: ActorContext): Writes<void> {
  if (isSetStatusStored(set, status)) return;
  let current: ServerObject = set;
  for (let attempt = 1; ; attempt += 1) {
    const { code } = yield {
      label: `update status of ${objectKey(set)}`,
      request: updateOf(
        resources.statefulSets,
        { ...current, status },
        { manager: fieldManagers.controllers, subresource: 'status' },
      ),
    };
    if (code < 300) return;
    if (code !== 409 || attempt === STATUS_ATTEMPTS) throw new RefusedWriteError('the status is refused');
    current = informers.of(resources.statefulSets).get(objectKey(set)) ?? current;
  }
}

/** Adopts revisions without a controller, and returns all revisions of a set, ordered by number. */
function* ownRevisions(set: StoredStatefulSet, { revisions }: World): Writes<readonly StoredRevision[]> {
  const { uid, namespace = '', deletionTimestamp } = set.metadata;
  const matches = ({ metadata }: ServerObject): boolean => selects(set.spec.selector, metadata.labels);
  const orphans = revisions.orphansIn(namespace).filter(matches);
  if (orphans.length > 0 && deletionTimestamp !== undefined) throw new RefusedWriteError('the set is being deleted');
  const task = { resource: resources.controllerRevisions, noun: 'controllerrevision', matches };
  const { failed } = yield* claim(set, orphans, task);
  if (failed) throw new RefusedWriteError('cannot adopt revisions');
  const all = [...revisions.ownedBy(uid).filter(matches), ...orphans] as unknown as readonly StoredRevision[];
  return [...new Map(all.map((revision) => [revision.metadata.uid, revision])).values()].toSorted(byNumber);
}

function* ownPods(set: StoredStatefulSet, { pods }: World): Writes<readonly StoredPod[]> {
  const { uid, name, namespace = '' } = set.metadata;
  const matches = (pod: ServerObject): boolean =>
    selects(set.spec.selector, pod.metadata.labels) && memberPlace(pod as StoredPod).parent === name;
  const candidates = [...pods.ownedBy(uid), ...pods.orphansIn(namespace).filter(matches)];
  const { claimed, failed } = yield* claim(set, candidates, { resource: resources.pods, noun: 'pod', matches });
  if (failed) throw new RefusedWriteError('cannot claim pods');
  return claimed as readonly StoredPod[];
}

interface State {
  readonly set: StoredStatefulSet;
  readonly pods: readonly StoredPod[];
  readonly now: number;
}

/**
 * Changes the pods of a set, and then updates its status, even after a refused write.
 *
 * @see stateful_set_control.go
 * (`performUpdate`)
 */
function* performUpdate(
  { set, pods, now }: State,
  revisions: SetRevisions & { readonly collisionCount: number },
  context: ActorContext,
): Writes<void> {
  const view = { context, set, revisions, now };
  const members = sortMembers(view, pods);
  const isDeleted = set.metadata.deletionTimestamp !== undefined;
  let error: unknown;
  let isUpdating = false;
  try {
    if (!isDeleted) isUpdating = yield* manageMembers(view, members);
  } catch (thrown) {
    error = thrown;
  }
  const counted = isDeleted ? pods : [...members.replicas, ...members.condemned];
  const counts = countMembers(set, counted, { ...revisions, now });
  const changed = isUpdating ? { ...counts, currentReplicas: counts.currentReplicas - 1 } : counts;
  yield* reportStatus(set, statefulSetStatus(set, changed, revisions), context);
  if (error !== undefined) throw error;
}

/** @see k8s.io/kubernetes v1.36.4 pkg/controller/statefulset/stateful_set_control.go (`UpdateStatefulSet`) */
function* updateSet(state: State, revisions: readonly StoredRevision[], { context }: World): Writes<void> {
  const { set, pods } = state;
  const { namespace = '' } = set.metadata;
  const stored = context.informers.of(resources.controllerRevisions);
  const find = (name: string): StoredRevision | undefined =>
    stored.get(`${namespace}/${name}`) as StoredRevision | undefined;
  const found = yield* revisionsFor(set, revisions, find);
  const live = new Set([found.current.metadata.name, found.update.metadata.name, ...pods.map(memberRevision)]);
  let error: unknown;
  try {
    yield* performUpdate(state, found, context);
  } catch (thrown) {
    error = thrown;
  }
  yield* truncateHistory(set, revisions, live);
  if (error !== undefined) throw error;
}

/** @see k8s.io/kubernetes v1.36.4 pkg/controller/statefulset/stateful_set.go (`sync`) */
function* syncStatefulSet(key: string, world: World): Sync {
  const set = world.context.informers.of(resources.statefulSets).get(key) as StoredStatefulSet | undefined;
  if (!set) return {};
  try {
    const revisions = yield* ownRevisions(set, world);
    const pods = yield* ownPods(set, world);
    const now = world.context.now();
    yield* updateSet({ set, pods, now }, revisions, world);
    const again = nextAvailability(pods, set.spec.minReadySeconds ?? 0, now);
    return again === undefined ? {} : { again, why: `pods of ${key} to become available` };
  } catch (error) {
    if (error instanceof RefusedWriteError) return { failed: true };
    throw error;
  }
}

/**
 * Creates missing pods of StatefulSets in ascending order of ordinals, and deletes surplus pods in descending order. With the pod
 * management policy Parallel, the controller does not wait for a pod before the next one. A rolling update deletes one pod at a
 * time, the highest ordinal first. The controller also writes claims, their owners, ControllerRevisions and the status.
 */
export const statefulSetController = (context: ActorContext): Actor => {
  const statefulSets = context.informers.of(resources.statefulSets);
  const pods = context.informers.of(resources.pods);
  const revisions = context.informers.of(resources.controllerRevisions);
  const world = { context, pods: new OwnedIndex(pods), revisions: new OwnedIndex(revisions) };
  const controller = new SyncController({
    name: 'statefulset controller',
    context,
    sync: (key) => syncStatefulSet(key, world),
  });
  markFamilies(controller, statefulSets, pods);
  // A sync fails while a claim is being deleted. The real controller repeats the sync until the claim is gone.
  context.informers.of(resources.persistentVolumeClaims).subscribe((now, before) => {
    const namespace = (now ?? before)?.metadata.namespace;
    for (const set of statefulSets.list(namespace) as readonly StoredStatefulSet[])
      if ((set.spec.volumeClaimTemplates ?? []).length > 0) controller.touch(objectKey(set));
  });
  return controller;
};
