import type { Logger } from '#lib/telemetry/log.ts';

/** Why a process should end. */
export interface ProcessEnd {
  /** Resolves with the reason of a requested end: the name of a signal, or `abort`. */
  readonly asked: Promise<string>;
  /** Rejects with an uncaught error, after which the state in memory cannot be trusted. Never resolves. */
  readonly broken: Promise<never>;
  /** Takes the handlers away. */
  unsubscribe(): void;
}

/**
 * Listens for events that end the process: SIGTERM and SIGINT, an abort of `signal`, an uncaught error.
 *
 * Guarantees: handles SIGTERM from the start. Without a handler the kernel ignores it for a process with pid 1.
 *
 * Caveats: an uncaught error no longer ends the process; the caller must end it when `broken` rejects.
 */
export const processEndOf = (signal: AbortSignal | undefined, log: Logger): ProcessEnd => {
  const { promise: asked, resolve } = Promise.withResolvers<string>();
  const { promise: broken, reject } = Promise.withResolvers<never>();
  // It may reject before it is awaited.
  broken.catch(() => undefined);
  const onSignal = (name: string): void => resolve(name);
  const onAbort = (): void => resolve('abort');
  const onError = (error: unknown): void => {
    log.error({ error }, 'uncaught error, ending');
    reject(error);
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  // Unhandled rejections arrive here too, by Node's default.
  process.on('uncaughtException', onError);
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort);
  const unsubscribe = (): void => {
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal).off('uncaughtException', onError);
    signal?.removeEventListener('abort', onAbort);
  };
  return { asked, broken, unsubscribe };
};
