import { resources } from '#lib/apiserver/machinery/resources.ts';
import { type ActorContext, fieldManagers, updateOf } from '../../context.ts';
import { objectKey } from '../../informer.ts';
import { isTerminal } from '../../pod-state.ts';
import type { Writes } from '../../sync-controller.ts';
import type { StoredPod } from '../../workload.ts';
import { accepted, RefusedWriteError } from '../deployment-writes.ts';
import { deletePod } from '../pod-deletion.ts';
import { replicasOf } from '../replica-set-status.ts';
import { createClaims, hasStaleClaim, retainClaims } from './stateful-set-claims.ts';
import {
  asMember,
  isInOrdinals,
  memberPlace,
  memberRevision,
  newMember,
  type SetRevisions,
  startOf,
} from './stateful-set-identity.ts';
import { isAvailablePod, isCreated, isRunningAndReady } from './stateful-set-status.ts';
import type { StoredStatefulSet } from './stored-sets.ts';

/** @see k8s.io/kubernetes v1.36.4 pkg/controller/statefulset/stateful_set_control.go (`MaxBatchSize`) */
const LARGEST_BATCH = 500;

/** The state of a StatefulSet at the start of a sync. */
export interface MemberView {
  readonly context: ActorContext;
  readonly set: StoredStatefulSet;
  readonly revisions: SetRevisions;
  readonly now: number;
}

/** The pods of a set. */
export interface Members {
  /** The pods within the range of ordinals, in their order. Missing pods are new pods without a status. */
  readonly replicas: readonly StoredPod[];
  /** The pods outside the range of ordinals, the highest ordinal first. */
  readonly condemned: readonly StoredPod[];
}

/** Separates the pods within the range of ordinals from other pods. Pods without an ordinal are left out. */
export const sortMembers = ({ set, revisions }: MemberView, pods: readonly StoredPod[]): Members => {
  const byIndex = new Map(pods.map((pod) => [memberPlace(pod).ordinal - startOf(set), pod]));
  const condemned = pods.filter((pod) => !isInOrdinals(set, pod) && memberPlace(pod).ordinal >= 0);
  return {
    replicas: Array.from({ length: replicasOf(set) }, (_, i) => byIndex.get(i) ?? newMember(set, revisions, i)),
    condemned: condemned.toSorted((a, b) => memberPlace(b).ordinal - memberPlace(a).ordinal),
  };
};

const isDeleted = ({ metadata }: StoredPod): boolean => metadata.deletionTimestamp !== undefined;

const isUnavailable = ({ set, now }: MemberView, pod: StoredPod): boolean =>
  isDeleted(pod) || !isAvailablePod(set, pod, now);

function* remove(pod: StoredPod): Writes<void> {
  const refusal = yield* deletePod(pod);
  if (refusal !== undefined) throw new RefusedWriteError(refusal);
}

function* createMember(view: MemberView, pod: StoredPod): Writes<void> {
  const { namespace = '' } = view.set.metadata;
  yield* createClaims(view, pod);
  const options = { fieldManager: fieldManagers.controllers };
  const request = { verb: 'create', resource: resources.pods, namespace, options, body: pod } as const;
  yield* accepted({ label: `create pod ${objectKey(pod)}`, request });
  yield* retainClaims(view, pod);
}

/** Whether an ordered set waits for a pod: it is terminating, not running and ready, or not available. */
const isAwaited = ({ set, now }: MemberView, pod: StoredPod): boolean =>
  isDeleted(pod) || !isRunningAndReady(pod) || !isAvailablePod(set, pod, now);

const isOrdered = ({ spec }: StoredStatefulSet): boolean => spec.podManagementPolicy !== 'Parallel';

/**
 * Creates, replaces or corrects a pod.
 *
 * @returns whether an ordered set must not process the next pod in this sync
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/statefulset/stateful_set_control.go (`processReplica`)
 */
function* processReplica(view: MemberView, pod: StoredPod): Writes<boolean> {
  const { set } = view;
  if (isTerminal(pod)) {
    if (!isDeleted(pod)) yield* remove(pod);
    return true;
  }
  if (!isCreated(pod)) {
    if (hasStaleClaim(view, pod)) return true;
    yield* createMember(view, pod);
    return true;
  }
  if (pod.status?.phase === 'Pending') {
    yield* createClaims(view, pod);
    yield* retainClaims(view, pod);
  }
  if (isOrdered(set) && isAwaited(view, pod)) return true;
  const wanted = asMember(set, pod);
  yield* retainClaims(view, pod);
  if (wanted === pod) return false;
  if (wanted.spec !== pod.spec) yield* createClaims(view, pod);
  yield* accepted({
    label: `update pod ${objectKey(pod)}`,
    request: updateOf(resources.pods, wanted, { manager: fieldManagers.controllers }),
  });
  return false;
}

function* retainCondemned(view: MemberView, pod: StoredPod): Writes<boolean> {
  yield* retainClaims(view, pod);
  return false;
}

/**
 * Deletes a pod outside the range of ordinals, unless an ordered set waits for the pod.
 *
 * @returns whether an ordered set must not process the next pod in this sync
 * @see stateful_set_control.go (`processCondemned`)
 */
function* processCondemned(view: MemberView, pod: StoredPod, firstUnavailable: StoredPod | undefined): Writes<boolean> {
  if (isDeleted(pod)) return true;
  const isBlocked = isOrdered(view.set) && isAwaited(view, pod) && pod !== firstUnavailable;
  if (!isBlocked) yield* remove(pod);
  return true;
}

/**
 * Processes pods one after the other. An ordered set stops when `process` returns true. A set with the policy Parallel processes
 * all pods in growing batches, and stops after a batch with a refused write.
 *
 * @returns whether an ordered set stopped
 */
function* forEachMember(
  set: StoredStatefulSet,
  pods: readonly StoredPod[],
  process: (pod: StoredPod) => Writes<boolean>,
): Writes<boolean> {
  let error: RefusedWriteError | undefined;
  let end = 1;
  for (const [i, pod] of pods.entries()) {
    if (i === end) {
      if (error) throw error;
      end += Math.min(end + 1, LARGEST_BATCH);
    }
    try {
      if ((yield* process(pod)) && isOrdered(set)) return true;
    } catch (thrown) {
      if (!(thrown instanceof RefusedWriteError) || isOrdered(set)) throw thrown;
      error ??= thrown;
    }
  }
  if (error) throw error;
  return false;
}

/**
 * Deletes the pod with the highest ordinal, not below the partition, that does not have the update revision. Deletes none for
 * `OnDelete`, or if a pod with a higher ordinal is unavailable.
 *
 * @returns whether a pod was deleted
 */
function* updateLast(view: MemberView, replicas: readonly StoredPod[]): Writes<boolean> {
  const { updateStrategy } = view.set.spec;
  if (updateStrategy?.type === 'OnDelete') return false;
  const partition = updateStrategy?.rollingUpdate?.partition ?? 0;
  for (const pod of replicas.slice(partition).toReversed()) {
    if (memberRevision(pod) !== view.revisions.update.metadata.name && !isDeleted(pod)) {
      yield* remove(pod);
      return true;
    }
    if (isUnavailable(view, pod)) return false;
  }
  return false;
}

/**
 * Scales and updates the pods of a set.
 *
 * @returns whether a pod is deleted for an update
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/statefulset/stateful_set_control.go (`updateStatefulSet`)
 */
export function* manageMembers(view: MemberView, { replicas, condemned }: Members): Writes<boolean> {
  const { set } = view;
  const firstUnavailable = [...replicas, ...condemned.toReversed()].find((pod) => isUnavailable(view, pod));
  if (yield* forEachMember(set, replicas, (pod) => processReplica(view, pod))) return false;
  yield* forEachMember(set, condemned, (pod) => retainCondemned(view, pod));
  if (yield* forEachMember(set, condemned, (pod) => processCondemned(view, pod, firstUnavailable))) return false;
  return yield* updateLast(view, replicas);
}
