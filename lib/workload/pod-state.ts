import type { Pod as KubePod, PodCondition } from 'kubernetes-types/core/v1.js';

/** An observed pod with the fields that the handle `Pod` declares; fields may be missing. */
export type ObservedPod = Readonly<KubePod>;

/** The condition of a pod with the given type; `undefined` if the pod has none. */
export const podCondition = ({ status }: ObservedPod, type: string): PodCondition | undefined =>
  status?.conditions?.find((condition) => condition.type === type);

/** Whether the condition Ready of the pod is True. */
export const isReady = (pod: ObservedPod): boolean => podCondition(pod, 'Ready')?.status === 'True';

/** The time since which the pod is ready; `undefined` when it is not ready, or when the time is missing. */
export const readySince = (pod: ObservedPod): string | undefined =>
  isReady(pod) ? podCondition(pod, 'Ready')?.lastTransitionTime : undefined;

/** Whether an object has a deletion timestamp. A terminating pod may still run, and its name is not free yet. */
export const isTerminating = ({ metadata }: Pick<ObservedPod, 'metadata'>): boolean =>
  metadata?.deletionTimestamp !== undefined;

/**
 * Whether the phase of the pod is Failed or Succeeded, so that its containers never start again.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-phase
 */
export const isFinished = ({ status }: ObservedPod): boolean =>
  status?.phase === 'Failed' || status?.phase === 'Succeeded';

/**
 * Whether the pod counts as a replica: it is neither terminating nor finished.
 *
 * @example
 * const replicas = children.of(Pod).filter(isActive);
 */
export const isActive = (pod: ObservedPod): boolean => !isTerminating(pod) && !isFinished(pod);
