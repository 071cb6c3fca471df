import { timestamp } from '#lib/apiserver/machinery/text/timestamp.ts';
import { findCondition } from '../conditions.ts';
import type { StoredJob, StoredPod } from '../workload.ts';
import { type Intervals, includesIndex, parseIntervals, totalOf, withIndexes } from './intervals.ts';
import {
  allFailuresBefore,
  hasIndexes,
  indexOfPod,
  isFailedPod,
  isTracked,
  podFinishedAt,
  validIndexOf,
} from './job-pods.ts';
import { isIndexFailed, matchFailure, matchSuccess } from './job-policies.ts';
import { type JobEnd, type JobSync, planSync } from './job-sync.ts';

const failure = (reason: string, message: string): JobEnd => ({ type: 'FailureTarget', reason, message });

/** The end in the condition SuccessCriteriaMet or FailureTarget of the stored status. */
const announcedEnd = ({ status }: StoredJob): JobEnd | undefined => {
  const types = [
    ['SuccessCriteriaMet', 'SuccessCriteriaMet'],
    ['FailureTarget', 'Failed'],
  ] as const;
  for (const [type, end] of types) {
    const condition = findCondition(status?.conditions, type);
    if (condition?.status === 'True')
      return { type: end, reason: condition.reason ?? '', message: condition.message ?? '' };
  }
  return undefined;
};

const policyFailure = (job: StoredJob, pods: readonly StoredPod[]): JobEnd | undefined => {
  const failed = pods.filter((pod) => isFailedPod(pod, job));
  const message = failed.map((pod) => matchFailure(job, pod).message).find((text) => text !== undefined);
  return message === undefined ? undefined : failure('PodFailurePolicy', message);
};

/**
 * Whether the restarts in running and pending pods reach `backoffLimit` (1 if the limit is 0); only with the restart policy
 * OnFailure.
 * @see job_controller.go (`pastBackoffLimitOnFailure`)
 */
const hasTooManyRestarts = ({ spec }: StoredJob, pods: readonly StoredPod[]): boolean => {
  if (spec.template.spec['restartPolicy'] !== 'OnFailure') return false;
  const restarts = pods
    .filter(({ status }) => status?.phase === 'Running' || status?.phase === 'Pending')
    .flatMap(({ status }) => [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
  return spec.backoffLimit === 0 ? restarts > 0 : restarts >= spec.backoffLimit;
};

const limitFailure = (sync: JobSync): JobEnd | undefined => {
  const { job, status, pods, failed, now } = sync;
  const { backoffLimit, activeDeadlineSeconds, suspend } = job.spec;
  if (failed > backoffLimit || hasTooManyRestarts(job, pods)) {
    return failure('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  }
  if (activeDeadlineSeconds === undefined || status.startTime === undefined || suspend === true) return undefined;
  const deadline = Date.parse(status.startTime) + activeDeadlineSeconds * 1000;
  if (now >= deadline) return failure('DeadlineExceeded', 'Job was active longer than specified deadline');
  planSync(sync, deadline);
  return undefined;
};

const succeededNow = ({ job, pods }: JobSync): readonly number[] =>
  pods
    .filter((pod) => pod.status?.phase === 'Succeeded' && isTracked(pod))
    .map((pod) => validIndexOf(pod, job))
    .filter((index) => index !== undefined);

const failedNow = ({ job, pods }: JobSync): readonly number[] =>
  pods
    .filter((pod) => isTracked(pod) && isIndexFailed(job, pod))
    .map((pod) => validIndexOf(pod, job))
    .filter((index) => index !== undefined);

/**
 * The failed pods that keep their finalizers until their replacements exist, by index. A replacement continues the count of
 * failures of its failed pod.
 *
 * @see indexed_job_utils.go (`getPodsWithDelayedDeletionPerIndex`)
 */
const delayedPods = (sync: JobSync, failedIndexes: Intervals): ReadonlyMap<number, StoredPod> => {
  const { job, pods, activePods, succeededIndexes } = sync;
  const active = new Set(activePods.map(indexOfPod));
  const delayed = new Map<number, StoredPod>();
  for (const pod of pods) {
    const index = validIndexOf(pod, job);
    if (index === undefined || !isTracked(pod) || !isFailedPod(pod, job)) continue;
    if (includesIndex(succeededIndexes, index) || includesIndex(failedIndexes, index) || active.has(index)) continue;
    const other = delayed.get(index);
    const isLater =
      !other || (allFailuresBefore(other) <= allFailuresBefore(pod) && podFinishedAt(pod) >= podFinishedAt(other));
    if (isLater) delayed.set(index, pod);
  }
  return delayed;
};

const indexFailure = (
  { spec }: StoredJob,
  { failed, succeeded }: Readonly<Record<string, number>>,
): JobEnd | undefined => {
  const { maxFailedIndexes, completions = 0 } = spec;
  if (failed === undefined || succeeded === undefined) return undefined;
  if (maxFailedIndexes !== undefined && failed > maxFailedIndexes) {
    const message = 'Job has exceeded the specified maximal number of failed indexes';
    return failure('MaxFailedIndexesExceeded', message);
  }
  return failed > 0 && failed + succeeded >= completions
    ? failure('FailedIndexes', 'Job has failed indexes')
    : undefined;
};

/** Finds the succeeded and failed indexes, and the end that they cause. */
const evaluateIndexes = (sync: JobSync): void => {
  const { job } = sync;
  const { completions = 0, backoffLimitPerIndex } = job.spec;
  sync.previousIndexes = parseIntervals(job.status?.completedIndexes ?? '', completions);
  sync.succeededIndexes = withIndexes(sync.previousIndexes, succeededNow(sync));
  sync.succeeded = totalOf(sync.succeededIndexes);
  if (backoffLimitPerIndex !== undefined) {
    const failedIndexes = withIndexes(parseIntervals(job.status?.failedIndexes ?? '', completions), failedNow(sync));
    sync.failedIndexes = failedIndexes;
    sync.end ??= indexFailure(job, { failed: totalOf(failedIndexes), succeeded: sync.succeeded });
    sync.delayed = delayedPods(sync, failedIndexes);
  }
  const message = sync.end === undefined ? matchSuccess(job, sync.succeededIndexes) : undefined;
  if (message !== undefined) sync.end = { type: 'SuccessCriteriaMet', reason: 'SuccessPolicy', message };
};

/** Sets `end` of a sync before the pods are managed, and evaluates the indexes of an indexed Job. */
export const evaluateEnd = (sync: JobSync): void => {
  const { job, pods } = sync;
  sync.end = announcedEnd(job) ?? policyFailure(job, pods) ?? limitFailure(sync);
  if (hasIndexes(job)) evaluateIndexes(sync);
};

/** The success of a Job with enough succeeded pods and no active pods; otherwise undefined. */
export const completedEnd = ({ job, succeeded, active }: JobSync): JobEnd | undefined => {
  const { completions } = job.spec;
  const isComplete = active === 0 && (completions === undefined ? succeeded > 0 : succeeded >= completions);
  return isComplete
    ? {
        type: 'SuccessCriteriaMet',
        reason: 'CompletionsReached',
        message: 'Reached expected number of succeeded pods',
      }
    : undefined;
};

/** Sets the start time of a Job that has none and is not suspended. */
export const setStart = ({ job, status, now }: JobSync): void => {
  if (status.startTime === undefined && job.spec.suspend !== true) status.startTime = timestamp(now);
};
