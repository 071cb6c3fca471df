import type { Timers } from '#lib/kube/interface/timers.ts';

/**
 * A clock that never goes backwards. When the wall clock is set back, this clock continues at the pace of elapsed time until the
 * wall clock has caught up. Therefore a time in the past stays in the past, and no delay becomes longer.
 *
 * @returns a function that returns epoch milliseconds
 */
export const steadyClock = (timers: Pick<Timers, 'now' | 'elapsed'>): (() => number) => {
  let offset = timers.now() - timers.elapsed();
  return () => {
    offset = Math.max(offset, timers.now() - timers.elapsed());
    return timers.elapsed() + offset;
  };
};
