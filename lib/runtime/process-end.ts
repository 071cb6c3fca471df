import type { Logger } from '#lib/telemetry/log.ts';

/** Why a process should end. */
export interface ProcessEnd {
  /** Resolves with the reason when somebody asks for it: the name of a signal, or `abort`. */
  readonly asked: Promise<string>;
  /** Rejects when something was thrown that nobody caught: what is in memory cannot be trusted any more. Never resolves. */
  readonly broken: Promise<never>;
  /** Takes the handlers away. */
  unsubscribe(): void;
}

/**
 * Listens for whatever ends the process: SIGTERM and SIGINT, an abort of `signal`, an error that nobody caught.
 *
 * Guarantees: without a handler a process with pid 1 would not hear SIGTERM at all, so this comes first.
 *
 * Caveats: with its handlers, an uncaught error does not end the process: whoever waits for `broken` does.
 */
export const processEndOf = (signal: AbortSignal | undefined, log: Logger): ProcessEnd => {
  const { promise: asked, resolve } = Promise.withResolvers<string>();
  const { promise: broken, reject } = Promise.withResolvers<never>();
  // It may reject before anybody waits for it.
  broken.catch(() => undefined);
  const onSignal = (name: string): void => resolve(name);
  const onAbort = (): void => resolve('abort');
  const onError = (error: unknown): void => {
    log.error({ error }, 'an error that nobody caught, ending');
    reject(error);
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  // Rejections that nobody handles come here, too: that is Node's default for them.
  process.on('uncaughtException', onError);
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort);
  const unsubscribe = (): void => {
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal).off('uncaughtException', onError);
    signal?.removeEventListener('abort', onAbort);
  };
  return { asked, broken, unsubscribe };
};
