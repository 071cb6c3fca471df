import type { Timers } from '#lib/kube/interface/timers.ts';

/** Waits until some work has settled, but no longer than some milliseconds. Rejects when the work does in time. */
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
