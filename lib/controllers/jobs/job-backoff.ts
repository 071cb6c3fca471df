import type { StoredPod } from '../workload.ts';
import { allFailuresBefore, podFinishedAt } from './job-pods.ts';

const FIRST_DELAY_MS = 10_000;
const LONGEST_DELAY_MS = 600_000;

/** The failures of a Job after its last success. */
export interface JobFailures {
  readonly count: number;
  /** The time of the last failure, in epoch milliseconds. */
  readonly last: number;
}

/** No failures. */
export const noFailures: JobFailures = { count: 0, last: 0 };

/**
 * Returns the failures after more pods have finished. A success resets the earlier failures.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/job/backoff_utils.go (`newBackoffRecord`)
 */
export const withFinished = (
  before: JobFailures,
  { succeeded, failed }: { readonly succeeded: readonly StoredPod[]; readonly failed: readonly StoredPod[] },
): JobFailures => {
  if (succeeded.length === 0 && failed.length === 0) return before;
  const success = Math.max(Number.NEGATIVE_INFINITY, ...succeeded.map(podFinishedAt));
  const failures = failed.map(podFinishedAt).filter((time) => time > success);
  const count = (succeeded.length === 0 ? before.count : 0) + failures.length;
  return count === 0 ? noFailures : { count, last: Math.max(...failures) };
};

/**
 * The time before which a Job does not replace its pods, in epoch milliseconds; 0 without failures. The delay is 10 s after the
 * first failure, then twice the previous delay, at most 10 min.
 */
export const replacementTime = ({ count, last }: JobFailures): number =>
  count === 0 ? 0 : last + Math.min(FIRST_DELAY_MS * 2 ** (count - 1), LONGEST_DELAY_MS);

/** The time before which a Job does not replace the failed pod of an index, in epoch milliseconds; 0 without a failed pod. */
export const indexReplacementTime = (failed: StoredPod | undefined): number =>
  failed ? replacementTime({ count: allFailuresBefore(failed) + 1, last: podFinishedAt(failed) }) : 0;
