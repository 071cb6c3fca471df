import { findCondition } from './conditions.ts';
import type { StoredPod } from './workload.ts';

/** Whether the phase of a pod is Succeeded or Failed. */
export const isTerminal = ({ status }: StoredPod): boolean =>
  status?.phase === 'Succeeded' || status?.phase === 'Failed';

/**
 * Whether a pod is neither terminated nor being deleted.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/controller_utils.go (`IsPodActive`)
 */
export const isActivePod = (pod: StoredPod): boolean =>
  !isTerminal(pod) && pod.metadata.deletionTimestamp === undefined;

/** Whether a pod is being deleted, and its phase is neither Succeeded nor Failed. */
export const isTerminatingPod = (pod: StoredPod): boolean =>
  !isTerminal(pod) && pod.metadata.deletionTimestamp !== undefined;

/** Whether the condition Ready is true. */
export const isReadyPod = ({ status }: StoredPod): boolean =>
  findCondition(status?.conditions, 'Ready')?.status === 'True';

/** The time since which a pod is ready, in epoch milliseconds; undefined if the pod is not ready or the condition has no time. */
export const podReadySince = ({ status }: StoredPod): number | undefined => {
  const ready = findCondition(status?.conditions, 'Ready');
  if (ready?.status !== 'True' || ready.lastTransitionTime === undefined) return undefined;
  return Date.parse(ready.lastTransitionTime);
};

/**
 * Returns the time from which a pod counts as available, in epoch milliseconds; `-Infinity` if `minReadySeconds` is 0. Undefined
 * if the pod is not ready, or the condition Ready has no time.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/api/v1/pod/util.go (`IsPodAvailable`)
 */
export const availableFrom = (pod: StoredPod, minReadySeconds: number): number | undefined => {
  if (!isReadyPod(pod)) return undefined;
  if (minReadySeconds === 0) return Number.NEGATIVE_INFINITY;
  const since = podReadySince(pod);
  return since === undefined ? undefined : since + minReadySeconds * 1000;
};
