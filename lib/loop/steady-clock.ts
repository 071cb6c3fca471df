import type { Timers } from '#lib/kube/timers.ts';

/**
 * A clock that never steps back, whatever the wall clock does: what was reached once stays reached.
 *
 * @returns epoch milliseconds
 */
export const steadyClock = (timers: Pick<Timers, 'now'>): (() => number) => {
  let latest = -Infinity;
  return () => {
    latest = Math.max(latest, timers.now());
    return latest;
  };
};
