import type { Timers } from '#lib/kube/interface/timers.ts';

/**
 * Waits for a time, or until one of the signals aborts; never rejects. `AbortSignal.any` is not used: Node.js keeps a combined signal with a
 * listener, and all that the listener refers to, until the signal aborts. A virtual cluster that is left while it waits would stay
 * in memory.
 */
export const pause = async (delayMs: number, timers: Timers, ...signals: readonly AbortSignal[]): Promise<void> => {
  if (delayMs <= 0 || signals.some(({ aborted }) => aborted)) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = timers.setTimer(delayMs, resolve);
  const stop = (): void => resolve();
  for (const signal of signals) signal.addEventListener('abort', stop);
  await promise;
  for (const signal of signals) signal.removeEventListener('abort', stop);
  cancel();
};
