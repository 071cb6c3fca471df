import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { StatusError } from '#lib/apiserver/machinery/status.ts';
import { ApiError } from '#lib/errors.ts';
import { errorOfStatus } from '#lib/kube/interface/status-error.ts';
import type { Timers } from '#lib/kube/interface/timers.ts';
import type { VirtualTransport } from './transport.ts';

/** Converts an error of the server to the error that the client of a watch receives. A `StatusError` becomes an `ApiError`. */
export const watchFailure = (error: unknown, plural: string): unknown =>
  error instanceof StatusError ? errorOfStatus(`watch ${plural}`, error.status) : error;

/** A transport without delays: the server handles requests at once, and watch events arrive during the write that causes them. */
export const directTransport = (server: ApiServer, timers: Timers): VirtualTransport => ({
  request: async (request) => server.handle(request),
  watch: async (request, { timeoutSeconds, signal }, onEvent) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const cancel = timers.setTimer(timeoutSeconds * 1000, resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
    try {
      const open = server.watch(request, (event) => {
        try {
          if (!signal.aborted) onEvent(event);
        } catch (error) {
          reject(error instanceof ApiError ? error : new Error('a watcher threw', { cause: error }));
        }
      });
      await promise.finally(() => open.close());
    } catch (error) {
      throw watchFailure(error, request.resource.plural);
    } finally {
      cancel();
    }
  },
});
