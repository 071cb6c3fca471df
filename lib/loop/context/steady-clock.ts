import type { Timers } from '#lib/kube/interface/timers.ts';

/**
 * A monotonic clock: it follows the wall clock forwards, and advances at the pace of elapsed time while the wall clock is
 * behind it. An instant that was reached stays reached, and no delay waits until the wall clock has caught up.
 *
 * @returns epoch milliseconds
 */
export const steadyClock = (timers: Pick<Timers, 'now' | 'elapsed'>): (() => number) => {
  let offset = timers.now() - timers.elapsed();
  return () => {
    offset = Math.max(offset, timers.now() - timers.elapsed());
    return timers.elapsed() + offset;
  };
};
