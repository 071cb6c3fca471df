import type { ServerResponse } from '#lib/sim/machinery/request.ts';
import type { ApiServer } from '#lib/sim/machinery/server.ts';

/** A server as it is, with somebody who hears every answer. */
export const tappedServer = (server: ApiServer, onAnswer: (response: ServerResponse) => void): ApiServer => ({
  handle: (request) => {
    const response = server.handle(request);
    onAnswer(response);
    return response;
  },
  watch: (request, onEvent) => server.watch(request, onEvent),
  objects: (resource, namespace) => server.objects(resource, namespace),
  objectsAt: (resource, resourceVersion) => server.objectsAt(resource, resourceVersion),
  get resourceVersion() {
    return server.resourceVersion;
  },
  restore: (resource, object) => server.restore(resource, object),
  compact: (resourceVersion, keep) => server.compact(resourceVersion, keep),
  copy: (now) => server.copy(now),
  dump: () => server.dump(),
});
