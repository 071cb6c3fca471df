/** The growth of a delay with the number of consecutive failures. */
export interface DelayGrowth {
  /** The first delay, in milliseconds. */
  readonly initialMs: number;
  /** The maximum delay, in milliseconds. */
  readonly maxMs: number;
  /** Returns a random number, uniform in [0, 1). */
  readonly random: () => number;
}

/**
 * The delay before the next attempt. The nominal delay doubles with each failure, up to a limit. A random part, up to one half,
 * is subtracted, so that keys with simultaneous failures are retried at different times.
 *
 * @param failures - the number of consecutive failures, an integer ≥ 1
 * @returns milliseconds, between half of the nominal delay and the whole delay
 */
export const backoffMs = (failures: number, { initialMs, maxMs, random }: DelayGrowth): number => {
  // The exponent is limited, because 2^52 is already larger than any `maxMs`.
  const nominal = Math.min(maxMs, initialMs * 2 ** Math.min(failures - 1, 52));
  return nominal / 2 + (nominal / 2) * random();
};
