/** The growth of a delay. */
export interface DelayOptions {
  /** The delay after the first failure, in seconds, 0 or more. */
  readonly initialSeconds: number;
  /** The longest delay, in seconds. */
  readonly maxSeconds: number;
}

/** The most doublings, so that no delay overflows. One second becomes 34 years. */
const DOUBLINGS = 30;

/**
 * Returns the delay before the next attempt. Like the back-off of the kubelet, the delay doubles with each failure, up to
 * `maxSeconds`.
 *
 * @param failures - the number of consecutive failures; 0 gives a delay of 0
 * @returns seconds
 * @example
 * clock.reached(after(failedAt, delayAfter(failures, { initialSeconds: 10, maxSeconds: 300 })))
 */
export const delayAfter = (failures: number, { initialSeconds, maxSeconds }: DelayOptions): number =>
  failures < 1 ? 0 : Math.min(maxSeconds, initialSeconds * 2 ** Math.min(failures - 1, DOUBLINGS));
