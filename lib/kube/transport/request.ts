import type { Timers } from '#lib/kube/interface/timers.ts';

/** One request, and its name in messages. */
export interface TransportRequest {
  /** The Kubernetes verb: `get`, `list`, `watch`, `create`, `patch`, `delete`. For messages and metrics. */
  readonly verb: string;
  /** The plural of the resource, for metrics. */
  readonly resource: string;
  /** The subject, for messages: `pods`, or `pods "default/web"`. */
  readonly subject: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below the server's URL, starting with `/`. */
  readonly path: string;
  /** Query parameters; undefined ones are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: object;
  /** @default application/json */
  readonly contentType?: string;
  /** Media types of the answer. @default application/json */
  readonly accept?: string;
  /** Aborts the request, which rejects with `ConnectionError`. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds from the moment at which it is sent until the answer must be complete (a stream: must have begun). @default the transport's */
  readonly timeoutMs?: number;
  /** Milliseconds from its beginning until a stream must have ended. @default no limit */
  readonly streamTimeoutMs?: number;
}

/** Sends requests to a server. Rejects with `ApiError` for an error answer, and with `ConnectionError` without an answer in time. */
export interface Requester {
  /** @returns the parsed JSON of the answer */
  request(request: TransportRequest): Promise<unknown>;
}

/** The data of an observer about a sent request. */
export interface RequestInfo {
  /** HTTP method. */
  readonly method: string;
  /** Host of the API server, with the port if the URL has one. */
  readonly host: string;
  readonly verb: string;
  readonly resource: string;
  /** HTTP status code; undefined without a response. */
  readonly code: number | undefined;
  /** Milliseconds to the head of the answer, including the wait for a free connection. */
  readonly durationMs: number;
}

/** How a transport behaves. */
export interface TransportOptions {
  /** The maximum number of connections for requests, >= 1; watches have their own. @default 16 */
  readonly connections?: number;
  /** Milliseconds from the moment at which a request is sent until its answer must be complete, > 0. Waiting for a free connection does not count. @default 30000 */
  readonly requestTimeoutMs?: number;
  /** The same for methods other than GET, > 0. @default requestTimeoutMs */
  readonly writeTimeoutMs?: number;
  /**
   * Called right before the first byte of a request other than GET is sent; when it throws, the request rejects with the error,
   * and nothing was sent.
   */
  readonly beforeWrite?: () => void;
  /** @default the timers of this process */
  readonly timers?: Timers;
  /** Called once for each request that was tried, also for one that could not leave, and for the first of two after a 401. Must not throw. */
  readonly observe?: (info: RequestInfo) => void;
}

/**
 * The name of a request in messages.
 *
 * @example
 * describeRequest({ verb: 'get', subject: 'pods "default/web"', ...rest }); // 'get pods "default/web"'
 */
export const describeRequest = (request: TransportRequest): string => `${request.verb} ${request.subject}`;

/** The path of a request with its query string. */
export const requestTargetOf = ({ path, query = {} }: TransportRequest): string => {
  let target = path;
  let separator = '?';
  for (const [key, value] of Object.entries(query)) {
    if (value === undefined) continue;
    target += `${separator}${encodeURIComponent(key)}=${encodeURIComponent(value)}`;
    separator = '&';
  }
  return target;
};
