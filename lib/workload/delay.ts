/** How failures delay the next try. */
export interface DelayOptions {
  /** Delay after the first failure, in seconds, 0 or more. */
  readonly initialSeconds: number;
  /** The longest delay, in seconds. */
  readonly maxSeconds: number;
}

/** Doubling stops here, so that no delay overflows: from one second that is 34 years. */
const DOUBLINGS = 30;

/**
 * Returns the delay before the next attempt after this many consecutive failures. Like the back-off of the kubelet, the delay
 * doubles with each failure.
 *
 * @param failures - number of consecutive failures; 0 gives a delay of 0
 * @returns seconds
 * @example
 * clock.reached(after(failedAt, delayAfter(failures, { initialSeconds: 10, maxSeconds: 300 })))
 */
export const delayAfter = (failures: number, { initialSeconds, maxSeconds }: DelayOptions): number =>
  failures < 1 ? 0 : Math.min(maxSeconds, initialSeconds * 2 ** Math.min(failures - 1, DOUBLINGS));
