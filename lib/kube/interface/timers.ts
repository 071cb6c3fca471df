/** The clock and the timers of this library. Tests and simulations replace them. */
export interface Timers {
  /** The wall-clock time in epoch milliseconds. The time may jump. */
  now(): number;
  /**
   * Milliseconds since some moment in the past, for durations. The value never decreases, and a change of the wall clock has no
   * effect.
   */
  elapsed(): number;
  /**
   * Calls `callback` once, after `delayMs`; never synchronously.
   *
   * @param delayMs - any number of milliseconds; a negative one counts as 0
   * @returns a function that cancels the call; it has no effect after the call
   */
  setTimer(delayMs: number, callback: () => void): () => void;
}

/** The longest delay that `setTimeout` supports, in milliseconds (24.8 days). With a longer delay, `setTimeout` fires at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * The timers of this process. A delay of more than 2^31-1 ms is divided into several timeouts, because `setTimeout` would fire at
 * once.
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
