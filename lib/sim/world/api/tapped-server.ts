import type { ServerRequest, ServerResponse } from '#lib/apiserver/machinery/request.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';

/** Listeners for the requests and watches of a server, and for its responses. */
export interface Taps {
  readonly onRequest?: (request: ServerRequest) => void;
  readonly onAnswer?: (response: ServerResponse) => void;
  readonly onWatch?: () => void;
}

/** Wraps a server, so that listeners are called for its requests, responses and watches. */
export const tappedServer = (server: ApiServer, { onRequest, onAnswer, onWatch }: Taps): ApiServer => ({
  handle: (request) => {
    onRequest?.(request);
    const response = server.handle(request);
    onAnswer?.(response);
    return response;
  },
  watch: (request, onEvent) => {
    onWatch?.();
    return server.watch(request, onEvent);
  },
  objects: (resource, namespace) => server.objects(resource, namespace),
  objectsAt: (resource, resourceVersion) => server.objectsAt(resource, resourceVersion),
  get resourceVersion() {
    return server.resourceVersion;
  },
  restore: (resource, object) => server.restore(resource, object),
  compact: (resourceVersion, keep) => server.compact(resourceVersion, keep),
  copy: (now, options) => server.copy(now, options),
  dump: () => server.dump(),
});
