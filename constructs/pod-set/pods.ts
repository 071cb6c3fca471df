import { after, type Instant, instantOf, microsOf, secondsBetween } from '#lib/desired/clock.ts';
import { Pod, reading } from '#lib/kind/handles/reference.ts';
import { CONTAINER_FIELDS } from '#lib/workload/container-failure.ts';
import { type ObservedPod, podCondition } from '#lib/workload/pod-state.ts';
import { FAILURES_ANNOTATION } from './template.ts';

/**
 * The annotation of a pod with its deletion cost, a whole number (default 0). Among otherwise similar pods, pods with a lower
 * cost are deleted first.
 */
export const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

/** The handle of the pods of a set, with the fields for the deletion order, failures, nodes, and the state of containers. */
export const OwnedPod = reading(Pod, [
  `metadata.annotations.${DELETION_COST}`,
  `metadata.annotations.${FAILURES_ANNOTATION}`,
  'spec.nodeName',
  ...CONTAINER_FIELDS,
]);

/** The name of an observed pod; empty if the pod has no name. */
export const podName = (pod: ObservedPod): string => pod.metadata?.name ?? '';

const latest = (instants: readonly (string | undefined)[]): string | undefined =>
  instants.flatMap((at) => at ?? []).toSorted((a, b) => microsOf(b) - microsOf(a))[0];

/**
 * The end time of a failed pod, or the best estimate. The function returns the first known time: end of the last container,
 * change to not ready, deletion request, creation. Without any of these, the function returns 1970-01-01.
 *
 * @see https://github.com/kubernetes/kubernetes/blob/v1.36.4/pkg/controller/job/backoff_utils.go (getFinishedTime)
 */
export const finishedAt = (pod: ObservedPod): Instant => {
  const ends = (pod.status?.containerStatuses ?? []).map(({ state }) => state?.terminated?.finishedAt);
  const ready = podCondition(pod, 'Ready');
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp } = pod.metadata ?? {};
  return (
    latest(ends) ??
    (ready?.status === 'False' ? ready.lastTransitionTime : undefined) ??
    (deletionTimestamp && after(deletionTimestamp, -deletionGracePeriodSeconds)) ??
    creationTimestamp ??
    instantOf(0)
  );
};

/** The run time of a failed pod in seconds, from the last start of a terminated container; 0 without a known start. */
export const ranSeconds = (pod: ObservedPod): number => {
  const starts = (pod.status?.containerStatuses ?? []).map(({ state }) => state?.terminated?.startedAt);
  const started = latest(starts);
  return started === undefined ? 0 : secondsBetween(started, finishedAt(pod));
};
