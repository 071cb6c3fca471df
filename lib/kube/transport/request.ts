import type { Timers } from '#lib/kube/interface/timers.ts';

/** One request, and its name in messages. */
export interface TransportRequest {
  /** The Kubernetes verb: `get`, `list`, `watch`, `create`, `patch`, `delete`. For messages and metrics. */
  readonly verb: string;
  /** The plural name of the resource, for metrics. */
  readonly resource: string;
  /** The subject, for messages: `pods`, or `pods "default/web"`. */
  readonly subject: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below the server's URL, starting with `/`. */
  readonly path: string;
  /** The query parameters. Undefined parameters are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** The body, which is sent as JSON. */
  readonly body?: object;
  /** The media type of the body. @default application/json */
  readonly contentType?: string;
  /** The accepted media types of the response. @default application/json */
  readonly accept?: string;
  /** Aborts the request, which rejects with `ConnectionError`. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The time limit in milliseconds from the moment at which the request is sent. Within this time, a response must be complete,
   * and a stream must have begun.
   *
   * @default the time limit of the transport
   */
  readonly timeoutMs?: number;
  /** The time limit for the end of a stream, in milliseconds from its beginning. @default no limit */
  readonly streamTimeoutMs?: number;
}

/**
 * Sends requests to a server. Rejects with `ApiError` for an error response, and with `ConnectionError` without a complete JSON
 * response in time.
 */
export interface Requester {
  /** @returns the parsed JSON of the response */
  request(request: TransportRequest): Promise<unknown>;
}

/** The data about a request that an observer receives. */
export interface RequestInfo {
  /** The HTTP method. */
  readonly method: string;
  /** The host of the API server, with the port if the URL has one. */
  readonly host: string;
  readonly verb: string;
  readonly resource: string;
  /** The HTTP status code; undefined without a response. */
  readonly code: number | undefined;
  /** Milliseconds until the head of the response or the failure, including the wait for a free connection. */
  readonly durationMs: number;
}

/** Options of a transport. */
export interface TransportOptions {
  /** The maximum number of connections for requests, >= 1; watches have their own. @default 16 */
  readonly connections?: number;
  /**
   * The time limit for a complete response, in milliseconds from the moment at which the request is sent, > 0. The wait for a
   * free connection does not count.
   *
   * @default 30000
   */
  readonly requestTimeoutMs?: number;
  /** The time limit for methods other than GET, in milliseconds, > 0. @default requestTimeoutMs */
  readonly writeTimeoutMs?: number;
  /**
   * Called immediately before the first byte of a request other than GET is sent. When it throws, the request rejects with the
   * error, and nothing is sent.
   */
  readonly beforeWrite?: () => void;
  /** The clock and the timers. @default the timers of this process */
  readonly timers?: Timers;
  /**
   * Called once for each attempt of a request, even if it could not be sent. After a 401, the first and the second attempt are
   * both reported. Must not throw.
   */
  readonly observe?: (info: RequestInfo) => void;
}

/**
 * The verb and the subject of a request, for messages.
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
