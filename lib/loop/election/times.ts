import { ConfigurationError } from '#lib/errors.ts';

/** The times of an election, in milliseconds. */
export interface LeaseTimes {
  /** The time without an observed change after which other candidates take over. */
  readonly durationMs: number;
  /**
   * The time without a renewal after which the leader stops. It is shorter than `durationMs`, so that the leader stops before
   * another process takes over.
   */
  readonly renewDeadlineMs: number;
  /** The delay between two attempts. */
  readonly retryMs: number;
}

/**
 * The maximum delay of a candidate after an attempt without an error, as a multiple of `retryMs`. Such delays are random, so that
 * candidates do not send requests at the same time.
 */
export const JITTER_FACTOR = 1.2;

/** The default duration of client-go (tools/leaderelection), with a renew deadline of 10 s and a retry period of 2 s. */
const DEFAULT_DURATION_SECONDS = 15;
const RENEW_DEADLINE_SHARE = 10 / 15;
const RETRY_SHARE = 2 / 15;

/**
 * The maximum duration of a lease, in seconds. A longer duration is most likely a mistake: after a crash, there would be no
 * leader for more than an hour.
 */
const MAX_DURATION_SECONDS = 3600;

/**
 * The times for a duration of the lease. The ratios of the renew deadline and the retry period to the duration are those of
 * client-go.
 *
 * @param durationSeconds - whole seconds, 1–3600. @default 15
 * @returns for 15 s: a renewal every 2 s, and a renew deadline of 10 s
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
 * Throws an error for times that would allow two leaders at once, or no lasting leader.
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
