/** The clock and the timers that time-dependent code of this library runs on, so that tests and simulations can own them. */
export interface Timers {
  /** The present, in milliseconds since 1970-01-01T00:00:00Z. May jump, as wall clocks do. */
  now(): number;
  /** Milliseconds since some moment in the past. Only ever grows, at the pace of time: for durations. */
  elapsed(): number;
  /**
   * Calls `callback` once, `delayMs` from now; never synchronously.
   *
   * @param delayMs - milliseconds, any size; negative counts as 0
   * @returns a function that cancels the call; without effect once the call was made
   */
  setTimer(delayMs: number, callback: () => void): () => void;
}

/** The longest delay that `setTimeout` keeps, in milliseconds (24.8 days): it fires at once for anything longer. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * The timers of this process. Delays beyond 2^31-1 ms are chained, as `setTimeout` would fire at once.
 *
 * @example
 * const cancel = systemTimers.setTimer(60 * 24 * 3_600_000, () => expire());
 * cancel();
 */
export const systemTimers: Timers = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  setTimer: (delayMs, callback) => {
    let handle: NodeJS.Timeout;
    const wait = (remainingMs: number): void => {
      const next = remainingMs > MAX_TIMEOUT_MS ? () => wait(remainingMs - MAX_TIMEOUT_MS) : callback;
      handle = setTimeout(next, Math.min(remainingMs, MAX_TIMEOUT_MS));
    };
    wait(Math.max(0, delayMs));
    return () => clearTimeout(handle);
  },
};
