import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type {
  GroupResource,
  ResourceName,
  ServerEvent,
  ServerRequest,
  ServerResponse,
  WatchRequest,
} from '#lib/apiserver/machinery/request.ts';
import type { ApiServer, OpenWatch, ServerCopyOptions } from '#lib/apiserver/machinery/server.ts';
import type { JsonObject } from '#lib/json.ts';

/** Listeners for the requests and watches of a server, and for its responses. */
export interface Taps {
  readonly onRequest?: (request: ServerRequest) => void;
  readonly onAnswer?: (response: ServerResponse) => void;
  readonly onWatch?: () => void;
}

class TappedServer implements ApiServer {
  readonly #server: ApiServer;
  readonly #taps: Taps;

  constructor(server: ApiServer, taps: Taps) {
    this.#server = server;
    this.#taps = taps;
  }

  get resourceVersion(): string {
    return this.#server.resourceVersion;
  }

  handle(request: ServerRequest): ServerResponse {
    this.#taps.onRequest?.(request);
    const response = this.#server.handle(request);
    this.#taps.onAnswer?.(response);
    return response;
  }

  watch(request: WatchRequest, onEvent: (event: ServerEvent) => void): OpenWatch {
    this.#taps.onWatch?.();
    return this.#server.watch(request, onEvent);
  }

  objects(resource: GroupResource, namespace?: string): readonly ServerObject[] {
    return this.#server.objects(resource, namespace);
  }

  objectsAt(resource: GroupResource, resourceVersion: string): readonly ServerObject[] | undefined {
    return this.#server.objectsAt(resource, resourceVersion);
  }

  restore(resource: ResourceName, object: ServerObject): void {
    this.#server.restore(resource, object);
  }

  compact(resourceVersion: string, keep?: number): void {
    this.#server.compact(resourceVersion, keep);
  }

  copy(now: () => number, options?: ServerCopyOptions): ApiServer {
    return this.#server.copy(now, options);
  }

  dump(): JsonObject {
    return this.#server.dump();
  }
}

/** Wraps a server, so that listeners are called for its requests, responses and watches. */
export const tappedServer = (server: ApiServer, taps: Taps): ApiServer => new TappedServer(server, taps);
