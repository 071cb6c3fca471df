const NANOS_PER_MILLI = 1e6;

/**
 * What the clock that all threads of the process share showed when `performance.now()` of this thread showed 0, in
 * milliseconds. Wall time stays out of it: it may be set between the starts of two threads.
 */
export const clockOriginMs = (): number => Number(process.hrtime.bigint()) / NANOS_PER_MILLI - performance.now();
