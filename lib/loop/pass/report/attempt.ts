import { ApiError, NotLeadingError } from '#lib/errors.ts';
import type { Context } from '#lib/loop/context/context.ts';
import { subjectOf } from '#lib/loop/events/event.ts';
import { refusalReasonOf } from '#lib/loop/pass/execute/refusal.ts';
import { isOutdated } from '#lib/loop/pass/outdated.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';

/** The result of an attempt to report: written, not needed, failed, or left to a later pass. Times are in milliseconds. */
export type Report =
  | { readonly status: 'written' | 'unchanged'; readonly afterMs?: number }
  | { readonly status: 'failed'; readonly retryAfterMs: number }
  | { readonly status: 'later'; readonly afterMs: number };

const FAILURE_ADVICE =
  'apply the install bundle of the version of the operator; its log has the answer of the API server';

/** The advice when another field manager owns the condition of an extension. */
const CONDITION_ADVICE =
  'another field manager owns this condition of the parent; choose another type for the condition of the extension';

/**
 * The reason why the status cannot be written. The cache still has the resource, so a 404 means that the status subresource or
 * the API version is not served.
 */
const reasonOf = (error: unknown): string =>
  error instanceof ApiError && error.httpStatus === 404 ? 'NotFound' : refusalReasonOf(error);

/**
 * Counts and logs a failed write of the status. A failure other than `Unavailable` is an error and has an event, because users
 * see an old status.
 */
const reportFailure = ({ log, metrics, events, kind }: Context, { key, resource }: Snapshot, error: unknown): void => {
  const reason = reasonOf(error);
  metrics.statusFailed(reason);
  const passes = reason === 'Unavailable';
  log[passes ? 'info' : 'error']({ key, error }, 'status write failed');
  if (passes) return;
  const message = `cannot write the status: ${reason}; ${reason === 'FieldConflict' ? CONDITION_ADVICE : FAILURE_ADVICE}`;
  events({ regarding: subjectOf(kind, resource), type: 'Warning', reason: 'FailedStatus', message });
};

/**
 * Writes a report to the resource. If the resource has changed or is gone, the next pass decides again.
 *
 * @param write - sends the requests; returns the delay of the next pass, if one is needed
 * @throws {NotLeadingError} when the leadership has ended; other errors lead to the result `failed` or `later`
 */
export const attemptReport = async (
  context: Context,
  seen: Snapshot,
  write: () => Promise<{ readonly afterMs?: number }>,
): Promise<Report> => {
  try {
    return { status: 'written', ...(await write()) };
  } catch (error) {
    if (error instanceof NotLeadingError) throw error;
    const { httpStatus = 0, retryAfterMs = 0 } = error instanceof ApiError ? error : {};
    // A 404 can mean that the resource is gone, or that the status subresource or the API version is not served. A live get of
    // the resource shows which.
    const mayBeOutdated = httpStatus === 409 || httpStatus === 404;
    if (mayBeOutdated && (await isOutdated(context, seen))) return { status: 'later', afterMs: 0 };
    reportFailure(context, seen, error);
    // The random part spreads the retries of writes that were refused at the same time.
    return { status: 'failed', retryAfterMs: retryAfterMs * (1 + context.random()) };
  }
};
