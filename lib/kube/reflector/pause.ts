import type { Timers } from '#lib/kube/interface/timers.ts';

/** Waits for some milliseconds, or until the signal aborts. Never rejects. */
export const pause = async (delayMs: number, timers: Timers, signal: AbortSignal): Promise<void> => {
  if (delayMs <= 0 || signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = timers.setTimer(delayMs, resolve);
  const stop = (): void => resolve();
  signal.addEventListener('abort', stop);
  await promise;
  signal.removeEventListener('abort', stop);
  cancel();
};
