/** How delays grow with failures in a row. */
export interface DelayGrowth {
  /** The first delay, in milliseconds. */
  readonly initialMs: number;
  /** No delay is longer, in milliseconds. */
  readonly maxMs: number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/**
 * The delay before the next attempt: doubled with each failure, limited, and random within its upper half, so that keys that
 * failed together do not come back together. The number of attempts is not limited.
 *
 * @param failures - failures in a row, an integer ≥ 1
 * @returns milliseconds, between half of the nominal delay and the whole
 */
export const backoffMs = (failures: number, { initialMs, maxMs, random }: DelayGrowth): number => {
  // 2^52 is beyond any cap, and keeps the power exact.
  const nominal = Math.min(maxMs, initialMs * 2 ** Math.min(failures - 1, 52));
  return nominal / 2 + (nominal / 2) * random();
};
