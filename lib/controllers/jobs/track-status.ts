import { resources } from '#lib/apiserver/machinery/resources.ts';
import { timestamp } from '#lib/apiserver/machinery/text/timestamp.ts';
import { findCondition } from '../conditions.ts';
import { fieldManagers, updateOf } from '../context.ts';
import { objectKey } from '../informer.ts';
import type { Writes } from '../sync-controller.ts';
import type { StoredJob, StoredPod } from '../workload.ts';
import { includesIndex, intervalsText, totalOf, withIndexes } from './intervals.ts';
import { hasIndexes, indexOfPod, isFailedPod, isTracked, validIndexOf } from './job-pods.ts';
import { matchFailure } from './job-policies.ts';
import { type JobSync, jobCondition, uncountedIn, withJobCondition } from './job-sync.ts';
import { releasePod } from './manage-pods.ts';

const MAX_UNCOUNTED = 500;

/**
 * Counts the pods that the status lists and that no longer have the finalizer, and removes their uids from the list.
 *
 * @returns whether the status changed
 */
const countReleased = ({ status }: JobSync, tracked: ReadonlySet<string>): boolean => {
  const before = uncountedIn(status);
  const succeeded = before.succeeded.filter((uid) => tracked.has(uid));
  const failed = before.failed.filter((uid) => tracked.has(uid));
  const [done, lost] = [before.succeeded.length - succeeded.length, before.failed.length - failed.length];
  if (done + lost === 0) return false;
  status.succeeded = (status.succeeded ?? 0) + done;
  status.failed = (status.failed ?? 0) + lost;
  setUncounted(status, { succeeded, failed });
  return true;
};

const setUncounted = (
  status: JobSync['status'],
  { succeeded, failed }: { readonly succeeded: readonly string[]; readonly failed: readonly string[] },
): void => {
  status.uncountedTerminatedPods = { ...(succeeded.length > 0 && { succeeded }), ...(failed.length > 0 && { failed }) };
};

/** @see job_controller.go (`canRemoveFinalizer`) */
const isReleasable = ({ job, end, delayed }: JobSync, pod: StoredPod): boolean => {
  const isSettled = job.metadata.deletionTimestamp !== undefined || end !== undefined;
  if (isSettled || pod.status?.phase === 'Succeeded') return true;
  if (!isFailedPod(pod, job)) return false;
  const index = indexOfPod(pod);
  return index === undefined || delayed.get(index)?.metadata.uid !== pod.metadata.uid;
};

interface Terminated {
  readonly pods: readonly StoredPod[];
  readonly indexes: readonly number[];
  /** Whether this sync added pods or indexes to the status. */
  readonly isNew: boolean;
  /** Whether the list of the status has reached its limit. */
  readonly isFull: boolean;
}

/** Adds terminated pods to the status, and returns the pods that are to lose their finalizers. */
const addTerminated = (sync: JobSync): Terminated => {
  const { job, status, end } = sync;
  const uncounted = uncountedIn(status);
  const [succeeded, failed] = [[...uncounted.succeeded], [...uncounted.failed]];
  const isFailing = end !== undefined && end.type !== 'SuccessCriteriaMet';
  const [pods, indexes]: [StoredPod[], number[]] = [[], []];
  let [isNew, isFull] = [false, false];
  const ordered = hasIndexes(job)
    ? sync.pods.toSorted((a, b) => (indexOfPod(a) ?? -1) - (indexOfPod(b) ?? -1))
    : sync.pods;
  for (const pod of ordered) {
    if (!isTracked(pod) || !isReleasable(sync, pod)) continue;
    const { uid } = pod.metadata;
    const index = validIndexOf(pod, job);
    pods.push(pod);
    if (pod.status?.phase === 'Succeeded' && !uncounted.failed.includes(uid)) {
      const isKnown = index === undefined || includesIndex(sync.previousIndexes, index);
      if (hasIndexes(job) ? isKnown : uncounted.succeeded.includes(uid)) continue;
      if (index === undefined || !hasIndexes(job)) succeeded.push(uid);
      else indexes.push(index);
      isNew = true;
    } else if (isFailedPod(pod, job) || isFailing) {
      const isValid = !hasIndexes(job) || index !== undefined;
      if (!isValid || uncounted.failed.includes(uid) || !matchFailure(job, pod).isCounted) continue;
      failed.push(uid);
      isNew = true;
    }
    isFull = indexes.length + succeeded.length + failed.length >= MAX_UNCOUNTED;
    if (isFull) break;
  }
  setUncounted(status, { succeeded, failed });
  return { pods, indexes, isNew, isFull };
};

/** Writes the succeeded and failed indexes into the status. @returns whether the status changed */
const setIndexes = (sync: JobSync, indexes: readonly number[]): boolean => {
  const { job, status, failedIndexes } = sync;
  if (!hasIndexes(job)) return false;
  sync.succeededIndexes = withIndexes(sync.succeededIndexes, indexes);
  const completed = intervalsText(sync.succeededIndexes);
  const failed = failedIndexes && intervalsText(failedIndexes);
  const isChanged = completed !== (status.completedIndexes ?? '') || failed !== status.failedIndexes;
  status.succeeded = totalOf(sync.succeededIndexes);
  status.completedIndexes = completed;
  if (failed === undefined) delete status.failedIndexes;
  else status.failedIndexes = failed;
  return isChanged;
};

/**
 * Adds the condition SuccessCriteriaMet or FailureTarget, and makes the end of the sync final.
 *
 * @returns whether the status changed
 */
const announceEnd = (sync: JobSync): boolean => {
  const { status, end, now } = sync;
  if (end === undefined) return false;
  const { conditions = [] } = status;
  const final = {
    SuccessCriteriaMet: 'Complete',
    FailureTarget: 'Failed',
    Complete: 'Complete',
    Failed: 'Failed',
  } as const;
  sync.end = { ...end, type: final[end.type] };
  const isFinal = end.type === 'Failed' || end.type === 'Complete';
  if (isFinal || findCondition(conditions, end.type)?.status === 'True') return false;
  status.conditions = [...conditions, jobCondition(end.type, end, { now })];
  return true;
};

function* writeStatus(sync: JobSync): Writes<boolean> {
  const { job, status } = sync;
  const { code, body } = yield {
    label: `update status of ${objectKey(job)}`,
    request: updateOf(
      resources.jobs,
      { ...job, status },
      { manager: fieldManagers.controllers, subresource: 'status' },
    ),
  };
  if (code >= 300) return false;
  sync.job = body as unknown as StoredJob;
  sync.status = { ...sync.job.status };
  return true;
}

/**
 * Adds the condition Complete or Failed to a Job that has ended, if all pods are counted and none is terminating.
 *
 * @returns whether the Job is finished
 */
const finish = ({ status, end, terminating, now }: JobSync): boolean => {
  const { succeeded, failed } = uncountedIn(status);
  if (end === undefined || succeeded.length + failed.length > 0 || terminating > 0) return false;
  status.conditions = withJobCondition(status.conditions ?? [], jobCondition(end.type, end, { now }));
  if (end.type === 'Complete') status.completionTime = timestamp(now);
  return true;
};

/**
 * Counts terminated pods: lists them in the status, removes their finalizers, then increases the counters. In this order, each
 * pod counts once, even if a write fails.
 *
 * @param onCounted - called after a write of the status with the terminated pods
 * @returns whether all writes succeeded
 * @see job_controller.go (`trackJobStatusAndRemoveFinalizers`)
 */
export function* trackJobStatus(sync: JobSync, isChanged: boolean, onCounted: () => void): Writes<boolean> {
  const tracked = new Set(sync.pods.filter(isTracked).map(({ metadata }) => metadata.uid));
  const isCounted = countReleased(sync, tracked);
  const { pods, indexes, isNew, isFull } = addTerminated(sync);
  const [hasIndexChange, isAnnounced] = [setIndexes(sync, indexes), announceEnd(sync)];
  if (isChanged || isCounted || isNew || hasIndexChange || isAnnounced) {
    if (!(yield* writeStatus(sync))) return false;
    onCounted();
  }
  let isReleased = true;
  for (const pod of pods) {
    const { code } = yield releasePod(pod);
    if (code < 300 || code === 404) tracked.delete(pod.metadata.uid);
    else isReleased = false;
  }
  const isLeft = countReleased(sync, tracked);
  if (!isReleased) {
    if (isLeft) yield* writeStatus(sync);
    return false;
  }
  const isFinished = !isFull && finish(sync);
  return isFinished || isLeft ? yield* writeStatus(sync) : true;
}
