import { ConfigurationError } from '#lib/errors.ts';

/** The duration of the leadership without a renewal, and the interval of renewals. Milliseconds. */
export interface LeaseTimes {
  /** The time without an observed change after which other candidates take over. */
  readonly durationMs: number;
  /** A leader that could not renew for this time stops, before others may take over. */
  readonly renewDeadlineMs: number;
  /** Between two attempts. */
  readonly retryMs: number;
}

/** Waiting candidates spread over the next fifth of `retryMs`, so that they do not ask all at once. */
export const JITTER_FACTOR = 1.2;

/** client-go's defaults (tools/leaderelection, controller-runtime pkg/manager/manager.go): 15 s, 10 s, 2 s. */
const DEFAULT_DURATION_SECONDS = 15;
const RENEW_DEADLINE_SHARE = 10 / 15;
const RETRY_SHARE = 2 / 15;

/** Lease.spec.leaseDurationSeconds holds whole seconds; an hour without a leader is a configuration error. */
const MAX_DURATION_SECONDS = 3600;

/**
 * The time limits for a lease duration: deadline and retry period have client-go's ratios to it.
 *
 * @param durationSeconds - whole seconds, 1–3600. @default 15
 * @returns for 15 s: renewed every 2 s, with a deadline of 10 s
 * @throws {ConfigurationError} for any other number
 */
export const leaseTimesOf = (durationSeconds: number = DEFAULT_DURATION_SECONDS): LeaseTimes => {
  if (!Number.isInteger(durationSeconds) || durationSeconds < 1 || durationSeconds > MAX_DURATION_SECONDS) {
    throw new ConfigurationError(
      `The lease duration is ${durationSeconds} seconds: set leaderElection.leaseDurationSeconds, or ` +
        `LEASE_DURATION_SECONDS, to a whole number from 1 to ${MAX_DURATION_SECONDS}; ${DEFAULT_DURATION_SECONDS} is usual`,
    );
  }
  const durationMs = durationSeconds * 1000;
  return {
    durationMs,
    renewDeadlineMs: Math.round(durationMs * RENEW_DEADLINE_SHARE),
    retryMs: Math.round(durationMs * RETRY_SHARE),
  };
};

/**
 * Refuses time limits with which two processes could lead, or none for long.
 *
 * @throws {ConfigurationError} unless duration > renew deadline > retry × 1.2 > 0
 */
export const assertLeaseTimes = ({ durationMs, renewDeadlineMs, retryMs }: LeaseTimes): void => {
  if (durationMs > renewDeadlineMs && renewDeadlineMs > retryMs * JITTER_FACTOR && retryMs > 0) return;
  throw new ConfigurationError(
    `The lease lasts ${durationMs} ms, is given up after ${renewDeadlineMs} ms and tried every ${retryMs} ms: ` +
      `a leader must stop before others take over, and must have time for attempts (duration > deadline > retry × ${JITTER_FACTOR} > 0)`,
  );
};
