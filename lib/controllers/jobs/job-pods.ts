import { memberOf } from '#lib/json.ts';
import { findCondition } from '../conditions.ts';
import { isTerminal } from '../pod-state.ts';
import type { ContainerStatus, StoredJob, StoredPod } from '../workload.ts';

/** The finalizer of pods that a Job has not counted. */
export const JOB_FINALIZER = 'batch.kubernetes.io/job-tracking';

/** The annotation and the label with the index of a pod. */
export const COMPLETION_INDEX = 'batch.kubernetes.io/job-completion-index';

/** The annotation with the number of earlier failures of the same index that count. */
export const INDEX_FAILURES = 'batch.kubernetes.io/job-index-failure-count';

/** The annotation with the number of earlier failures of the same index that were ignored. */
export const IGNORED_INDEX_FAILURES = 'batch.kubernetes.io/job-index-ignored-failure-count';

/** Whether a pod has the {@link JOB_FINALIZER}. */
export const isTracked = ({ metadata }: StoredPod): boolean => metadata.finalizers?.includes(JOB_FINALIZER) === true;

/** Whether the pods of a Job have indexes. */
export const hasIndexes = ({ spec }: StoredJob): boolean => spec.completionMode === 'Indexed';

/** Whether the condition Complete or Failed of a Job is True. */
export const isFinishedJob = ({ status }: StoredJob): boolean =>
  ['Complete', 'Failed'].some((type) => findCondition(status?.conditions, type)?.status === 'True');

/** Whether another controller manages a Job. */
export const isManagedElsewhere = ({ spec }: StoredJob): boolean =>
  spec.managedBy !== undefined && spec.managedBy !== 'kubernetes.io/job-controller';

const wholeNumber = (text: string | undefined): number | undefined =>
  text !== undefined && /^\+?\d+$/.test(text) ? Number(text) : undefined;

/** The index in the annotation of a pod; undefined if it is absent or invalid. */
export const indexOfPod = ({ metadata }: StoredPod): number | undefined =>
  wholeNumber(memberOf(metadata.annotations, COMPLETION_INDEX));

/** The index of a pod if it is below `completions` of the Job; otherwise undefined. */
export const validIndexOf = (pod: StoredPod, { spec }: StoredJob): number | undefined => {
  const index = indexOfPod(pod);
  return index !== undefined && index < (spec.completions ?? 0) ? index : undefined;
};

/** The value of an annotation that counts failures; 0 if it is absent or invalid. */
export const failureCountIn = ({ metadata }: StoredPod, annotation: string): number => {
  const count = wholeNumber(memberOf(metadata.annotations, annotation)) ?? 0;
  return count > 2 ** 31 - 1 ? 0 : count;
};

/** The number of earlier failures of the index of a pod, including ignored failures. */
export const allFailuresBefore = (pod: StoredPod): number =>
  failureCountIn(pod, INDEX_FAILURES) + failureCountIn(pod, IGNORED_INDEX_FAILURES);

/** Whether a Job creates replacements only for pods that have terminated. */
export const onlyReplacesFailed = ({ spec }: StoredJob): boolean =>
  spec.podReplacementPolicy === 'Failed' || spec.podFailurePolicy !== undefined;

/** Whether a Job counts a pod as failed. Unless {@link onlyReplacesFailed}, terminating pods count as failed, too. */
export const isFailedPod = (pod: StoredPod, job: StoredJob): boolean => {
  if (pod.status?.phase === 'Failed') return true;
  return !onlyReplacesFailed(job) && pod.metadata.deletionTimestamp !== undefined && !isTerminal(pod);
};

const ends = (statuses: readonly ContainerStatus[]): readonly (string | undefined)[] =>
  statuses.map(({ state }) => state?.terminated?.finishedAt);

const containersEnd = ({ spec, status }: StoredPod): number | undefined => {
  const sidecars = new Set((spec.initContainers ?? []).filter((c) => c.restartPolicy === 'Always').map((c) => c.name));
  const init = (status?.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name));
  const times = [...ends(status?.containerStatuses ?? []), ...ends(init)];
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 || known.length < times.length
    ? undefined
    : Math.max(...known.map((time) => Date.parse(time)));
};

/**
 * The time at which a pod finished, in epoch milliseconds. Without the end times of its containers, this time is an estimate.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/job/backoff_utils.go (`getFinishedTime`)
 */
export const podFinishedAt = (pod: StoredPod): number => {
  const ended = containersEnd(pod);
  if (ended !== undefined) return ended;
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp } = pod.metadata;
  const ready = findCondition(pod.status?.conditions, 'Ready');
  if (ready?.status === 'False' && ready.lastTransitionTime !== undefined) return Date.parse(ready.lastTransitionTime);
  if (deletionTimestamp !== undefined) return Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
  return Date.parse(creationTimestamp);
};
