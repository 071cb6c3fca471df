import { availableFrom, isReadyPod } from '../../pod-state.ts';
import type { StoredPod } from '../../workload.ts';
import { replicasOf } from '../replica-set-status.ts';
import { memberRevision, type SetRevisions } from './stateful-set-identity.ts';
import type { StatefulSetStatus, StoredStatefulSet } from './stored-sets.ts';

/** Whether a pod has a phase. A pod that the API server has not stored has none. */
export const isCreated = ({ status }: StoredPod): boolean => (status?.phase ?? '') !== '';

/** Whether a pod is running and ready. */
export const isRunningAndReady = (pod: StoredPod): boolean => pod.status?.phase === 'Running' && isReadyPod(pod);

/** Whether a pod has been ready for at least `minReadySeconds`. */
export const isAvailablePod = ({ spec }: StoredStatefulSet, pod: StoredPod, now: number): boolean =>
  (availableFrom(pod, spec.minReadySeconds ?? 0) ?? Infinity) <= now;

/** The numbers of pods in the status of a StatefulSet. */
export interface StatefulSetCounts {
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly availableReplicas: number;
  readonly currentReplicas: number;
  readonly updatedReplicas: number;
}

/**
 * Counts the given pods of a StatefulSet.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/statefulset/stateful_set_control.go (`computeReplicaStatus`)
 */
export const countMembers = (
  set: StoredStatefulSet,
  pods: readonly StoredPod[],
  { current, update, now }: SetRevisions & { readonly now: number },
): StatefulSetCounts => {
  const ready = pods.filter(isRunningAndReady);
  const alive = pods.filter((pod) => isCreated(pod) && pod.metadata.deletionTimestamp === undefined);
  const withRevision = (name: string): number => alive.filter((pod) => memberRevision(pod) === name).length;
  return {
    replicas: pods.filter(isCreated).length,
    readyReplicas: ready.length,
    availableReplicas: ready.filter((pod) => isAvailablePod(set, pod, now)).length,
    currentReplicas: withRevision(current.metadata.name),
    updatedReplicas: withRevision(update.metadata.name),
  };
};

/**
 * Whether a rolling update is complete: all desired pods are updated and ready, and there are no others.
 *
 * @see
 * stateful_set_utils.go (`completeRollingUpdate`)
 */
const isComplete = (set: StoredStatefulSet, { updatedReplicas, readyReplicas, replicas }: StatefulSetCounts): boolean =>
  set.spec.updateStrategy?.type === 'RollingUpdate' &&
  [updatedReplicas, readyReplicas, replicas].every((count) => count === replicasOf(set));

/** Returns the status of a StatefulSet. Like Go, omits counts of pods that are zero, except `replicas` and `availableReplicas`. */
export const statefulSetStatus = (
  set: StoredStatefulSet,
  counts: StatefulSetCounts,
  { current, update, collisionCount }: SetRevisions & { readonly collisionCount: number },
): StatefulSetStatus => {
  const isDone = isComplete(set, counts);
  const { replicas, availableReplicas, readyReplicas, updatedReplicas } = counts;
  const currentReplicas = isDone ? updatedReplicas : counts.currentReplicas;
  const { generation } = set.metadata;
  return {
    replicas,
    availableReplicas,
    ...(readyReplicas > 0 && { readyReplicas }),
    ...(currentReplicas !== 0 && { currentReplicas }),
    ...(updatedReplicas > 0 && { updatedReplicas }),
    currentRevision: (isDone ? update : current).metadata.name,
    updateRevision: update.metadata.name,
    ...(generation !== undefined && { observedGeneration: generation }),
    collisionCount,
  };
};

const counted = ['replicas', 'currentReplicas', 'readyReplicas', 'updatedReplicas', 'availableReplicas'] as const;

/**
 * Whether the stored status has these counts and revisions, and is of this generation.
 *
 * @see stateful_set_utils.go
 * (`inconsistentStatus`)
 */
export const isSetStatusStored = ({ status }: StoredStatefulSet, wanted: StatefulSetStatus): boolean =>
  (wanted.observedGeneration ?? 0) <= (status?.observedGeneration ?? 0) &&
  counted.every((count) => (status?.[count] ?? 0) === (wanted[count] ?? 0)) &&
  status?.currentRevision === wanted.currentRevision &&
  status?.updateRevision === wanted.updateRevision;
