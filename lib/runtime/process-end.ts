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
 * Listens for events that end the process: SIGTERM, SIGINT, an abort of `signal`, an uncaught error.
 *
 * Caveats: Node.js no longer ends the process after an uncaught error; the caller must end the process when `broken` rejects.
 */
export const processEndOf = (signal: AbortSignal | undefined, log: Logger): ProcessEnd => {
  const { promise: asked, resolve } = Promise.withResolvers<string>();
  const { promise: broken, reject } = Promise.withResolvers<never>();
  // An error before the caller awaits `broken` would otherwise be an unhandled rejection.
  broken.catch(() => undefined);
  const onSignal = (name: string): void => resolve(name);
  const onAbort = (): void => resolve('abort');
  const onError = (error: unknown): void => {
    log.error({ error }, 'uncaught error, ending');
    reject(error);
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  // By default, Node.js also emits this event for unhandled rejections.
  process.on('uncaughtException', onError);
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort);
  const unsubscribe = (): void => {
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal).off('uncaughtException', onError);
    signal?.removeEventListener('abort', onAbort);
  };
  return { asked, broken, unsubscribe };
};
