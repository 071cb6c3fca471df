import type { ServerRequest, ServerResponse } from '#lib/apiserver/machinery/request.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';

/** Listeners for the requests and watches of a server, and for its responses. */
export interface Taps {
  readonly onRequest?: (request: ServerRequest) => void;
  readonly onAnswer?: (response: ServerResponse) => void;
  readonly onWatch?: () => void;
}

/** A server with listeners for its requests, responses and watches. */
export class TappedServer implements ApiServer {
  readonly #server: ApiServer;
  readonly #taps: Taps;

  constructor(server: ApiServer, taps: Taps) {
    this.#server = server;
    this.#taps = taps;
  }

  get resourceVersion(): string {
    return this.#server.resourceVersion;
  }

  readonly handle: ApiServer['handle'] = (request) => {
    this.#taps.onRequest?.(request);
    const response = this.#server.handle(request);
    this.#taps.onAnswer?.(response);
    return response;
  };

  readonly watch: ApiServer['watch'] = (request, onEvent) => {
    this.#taps.onWatch?.();
    return this.#server.watch(request, onEvent);
  };

  readonly objects: ApiServer['objects'] = (...given) => this.#server.objects(...given);
  readonly objectsAt: ApiServer['objectsAt'] = (...given) => this.#server.objectsAt(...given);
  readonly restore: ApiServer['restore'] = (...given) => this.#server.restore(...given);
  readonly compact: ApiServer['compact'] = (...given) => this.#server.compact(...given);
  readonly copy: ApiServer['copy'] = (...given) => this.#server.copy(...given);
  readonly dump: ApiServer['dump'] = () => this.#server.dump();
}
