import type { Logger } from '#lib/telemetry/log.ts';

/** The events that end a process. */
export interface ProcessEnd {
  /** Resolves with the reason of a requested end: the name of a signal, or `abort`. */
  readonly asked: Promise<string>;
  /** Rejects with an uncaught error, after which the state in memory cannot be trusted. Never resolves. */
  readonly broken: Promise<never>;
  /** Removes the handlers. */
  unsubscribe(): void;
}

/**
 * Listens for events that end the process: SIGTERM and SIGINT, an abort of `signal`, an uncaught error.
 *
 * Guarantees: SIGTERM is handled from the start. Without a handler, the kernel ignores the signal for a process with pid 1.
 *
 * Caveats: an uncaught error no longer ends the process; the caller must end it when `broken` rejects.
 */
export const processEndOf = (signal: AbortSignal | undefined, log: Logger): ProcessEnd => {
  const { promise: asked, resolve } = Promise.withResolvers<string>();
  const { promise: broken, reject } = Promise.withResolvers<never>();
  // The promise may reject before a caller awaits it. Without this handler, the rejection would be unhandled.
  broken.catch(() => undefined);
  const onSignal = (name: string): void => resolve(name);
  const onAbort = (): void => resolve('abort');
  const onError = (error: unknown): void => {
    log.error({ error }, 'uncaught error, ending');
    reject(error);
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  // By default, Node.js reports unhandled rejections by this event, too.
  process.on('uncaughtException', onError);
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort);
  const unsubscribe = (): void => {
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal).off('uncaughtException', onError);
    signal?.removeEventListener('abort', onAbort);
  };
  return { asked, broken, unsubscribe };
};
