import { findCondition } from './conditions.ts';
import type { Pod } from './workload.ts';

/** Succeeded or Failed: the containers have terminated permanently. */
export const isTerminal = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** Neither terminated nor being deleted. @see k8s.io/kubernetes v1.36.4 pkg/controller/controller_utils.go (`IsPodActive`) */
export const isActive = (pod: Pod): boolean => !isTerminal(pod) && pod.metadata.deletionTimestamp === undefined;

/** Being deleted, but not terminated yet. */
export const isTerminating = (pod: Pod): boolean => !isTerminal(pod) && pod.metadata.deletionTimestamp !== undefined;

/** Whether the condition Ready is true. */
export const isReady = ({ status }: Pod): boolean => findCondition(status?.conditions, 'Ready')?.status === 'True';

/** The time since which a pod is ready, in epoch ms; undefined when it is not ready or lacks the time. */
export const readySince = ({ status }: Pod): number | undefined => {
  const ready = findCondition(status?.conditions, 'Ready');
  if (ready?.status !== 'True' || ready.lastTransitionTime === undefined) return undefined;
  return Date.parse(ready.lastTransitionTime);
};

/**
 * The time from which a pod counts as available, in epoch ms; undefined while it is not ready.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/api/v1/pod/util.go (`IsPodAvailable`)
 */
export const availableFrom = (pod: Pod, minReadySeconds: number): number | undefined => {
  if (!isReady(pod)) return undefined;
  if (minReadySeconds === 0) return Number.NEGATIVE_INFINITY;
  const since = readySince(pod);
  return since === undefined ? undefined : since + minReadySeconds * 1000;
};
