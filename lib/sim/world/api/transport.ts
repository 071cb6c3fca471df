import type { ServerEvent, ServerRequest, ServerResponse, WatchRequest } from '#lib/apiserver/machinery/request.ts';

/** The maximum duration of a watch, and the signal that ends the watch earlier. */
export interface WatchTerms {
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}

/** The connection between a client and the virtual API server. */
export interface VirtualTransport {
  /** Sends a request. Rejects with `ConnectionError` when no response arrives. */
  request(request: ServerRequest): Promise<ServerResponse>;
  /** Watches objects, as `KubeApi.watch` does: resolves at a regular end, and rejects with `ApiError` or `ConnectionError`. */
  watch(request: WatchRequest, terms: WatchTerms, onEvent: (event: ServerEvent) => void): Promise<void>;
}
