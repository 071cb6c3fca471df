import type { Timers } from '#lib/kube/interface/timers.ts';

/**
 * A clock that never steps back and never stands still: wall time that follows the wall clock forwards, and goes on at the
 * pace of time when that is set back. What was reached stays reached, and nothing waits for the wall clock to catch up.
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
