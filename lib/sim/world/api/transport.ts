import type { ServerEvent, ServerRequest, ServerResponse, WatchRequest } from '#lib/apiserver/machinery/request.ts';

/** Duration of a watch, and the signal that ends it before. */
export interface WatchTerms {
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}

/** The way between a client and the virtual API server. */
export interface VirtualTransport {
  /** Rejects with `ConnectionError` when no answer comes. */
  request(request: ServerRequest): Promise<ServerResponse>;
  /** As `KubeApi.watch`: resolves at a regular end, rejects with `ApiError` or `ConnectionError`. */
  watch(request: WatchRequest, terms: WatchTerms, onEvent: (event: ServerEvent) => void): Promise<void>;
}
