import type { Timers } from '#lib/kube/interface/timers.ts';

/** Waits for a promise, but at most `ms` milliseconds; not at all for undefined. Rejects if the promise rejects in this time. */
export const within = async (
  work: Promise<unknown> | undefined,
  ms: number,
  timers: Pick<Timers, 'setTimer'>,
): Promise<void> => {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const cancel = timers.setTimer(ms, resolve);
  try {
    await Promise.race([work, late]);
  } finally {
    cancel();
  }
};
