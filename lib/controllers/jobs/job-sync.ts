import { timestamp } from '#lib/apiserver/machinery/text/timestamp.ts';
import { findCondition } from '../conditions.ts';
import type { JobStatus, StatusCondition, StoredJob, StoredPod } from '../workload.ts';
import type { Intervals } from './intervals.ts';
import type { JobFailures } from './job-backoff.ts';
import { hasIndexes, isFailedPod, isTracked, validIndexOf } from './job-pods.ts';

/** A status of a Job while a sync changes it. */
export type JobStatusDraft = { -readonly [Field in keyof JobStatus]: JobStatus[Field] };

/** The success or the failure of a Job, with its reason. */
export interface JobEnd {
  readonly type: 'SuccessCriteriaMet' | 'FailureTarget' | 'Complete' | 'Failed';
  readonly reason: string;
  readonly message: string;
}

/** The data of one sync of a Job. @see k8s.io/kubernetes v1.36.4 pkg/controller/job/job_controller.go (`syncJobCtx`) */
export interface JobSync {
  /** The stored Job; the response of each status write replaces it. */
  job: StoredJob;
  status: JobStatusDraft;
  readonly pods: readonly StoredPod[];
  readonly activePods: readonly StoredPod[];
  readonly now: number;
  /**
   * The number of active pods. The creations and deletions of this sync change this number; the deletions change `ready` and
   * `terminating`, too.
   */
  active: number;
  ready: number;
  terminating: number;
  succeeded: number;
  readonly failed: number;
  /** The end that this sync found; undefined if the Job continues. */
  end: JobEnd | undefined;
  readonly failures: JobFailures;
  /** For Jobs with indexes: the succeeded indexes in the stored status. `succeededIndexes` adds those of the pods. */
  previousIndexes: Intervals;
  succeededIndexes: Intervals;
  /** The failed indexes; undefined without a limit per index. */
  failedIndexes: Intervals | undefined;
  /** The failed pods that keep their finalizers until their replacements exist, by index. */
  delayed: ReadonlyMap<number, StoredPod>;
  /** The time of the next sync, in epoch milliseconds; undefined if none is planned. */
  again: number | undefined;
}

/** Plans a sync for a time, unless an earlier sync is planned. */
export const planSync = (sync: JobSync, time: number): void => {
  sync.again = Math.min(sync.again ?? time, time);
};

/** Returns a condition with `now` as its times. */
export const jobCondition = (
  type: string,
  { reason, message }: { readonly reason: string; readonly message: string },
  { status = 'True', now }: { readonly status?: 'True' | 'False'; readonly now: number },
): StatusCondition => ({
  type,
  status,
  lastProbeTime: timestamp(now),
  lastTransitionTime: timestamp(now),
  reason,
  message,
});

/**
 * Sets a condition. A condition that does not exist is not set to False.
 *
 * @returns the conditions, or the same list if nothing changes
 * @see job_controller.go (`ensureJobConditionStatus`)
 */
export const withJobCondition = (
  conditions: readonly StatusCondition[],
  wanted: StatusCondition,
): readonly StatusCondition[] => {
  const old = findCondition(conditions, wanted.type);
  if (!old) return wanted.status === 'False' ? conditions : [...conditions, wanted];
  const isSame = old.status === wanted.status && old.reason === wanted.reason && old.message === wanted.message;
  return isSame ? conditions : conditions.map((condition) => (condition === old ? wanted : condition));
};

/** The uids of terminated pods that the status lists, and that its counters do not contain. */
export const uncountedIn = ({
  uncountedTerminatedPods: uncounted,
}: JobStatus): { readonly succeeded: readonly string[]; readonly failed: readonly string[] } => ({
  succeeded: uncounted?.succeeded ?? [],
  failed: uncounted?.failed ?? [],
});

/**
 * The finished pods with the finalizer that the status does not list as uncounted. Pods of an indexed Job also need a valid
 * index.
 *
 * @see job_controller.go (`getNewFinishedPods`)
 */
export const newlyFinished = (
  job: StoredJob,
  pods: readonly StoredPod[],
): { readonly succeeded: readonly StoredPod[]; readonly failed: readonly StoredPod[] } => {
  const uncounted = uncountedIn(job.status ?? {});
  const valid = pods.filter((pod) => isTracked(pod) && (!hasIndexes(job) || validIndexOf(pod, job) !== undefined));
  const others = (uids: readonly string[]): readonly StoredPod[] =>
    valid.filter(({ metadata }) => !uids.includes(metadata.uid));
  return {
    succeeded: others(uncounted.succeeded).filter(({ status }) => status?.phase === 'Succeeded'),
    failed: others(uncounted.failed).filter((pod) => isFailedPod(pod, job)),
  };
};
