import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { ControlPlaneError } from './error.ts';
import type { Endpoint } from './users.ts';

/** Options of one request. */
export interface RequestOptions {
  /** @default 'application/json' */
  readonly contentType?: string;
  /** A static user, or a ServiceAccount with a created token. @default 'admin' */
  readonly user?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** A response whose body was read to its end. */
export interface ApiResponse<Body = unknown> {
  readonly status: number;
  /** Parsed when it is JSON, text otherwise. Its type is the caller's claim: nothing checks it. */
  readonly body: Body;
}

/**
 * Sends one request. Any status is an answer, not an error.
 * @param path with the query, such as `/api/v1/namespaces/default/pods?limit=1`
 * @param body sent as JSON; a string is sent as it is
 * @throws {ControlPlaneError} REQUEST_FAILED when there is no answer at all, UNKNOWN_USER when the user has no token
 */
export type ApiRequest = <Body = unknown>(
  method: string,
  path: string,
  body?: unknown,
  options?: RequestOptions,
) => Promise<ApiResponse<Body>>;

/**
 * Creates the request function of one API server. On node:https, because the full client takes a second to load.
 * @param tokenOf gives the token of a user, or throws
 */
export function createRequest({ url, caFile }: Endpoint, tokenOf: (user: string) => string): ApiRequest {
  // Idle connections are closed long before the server would do so under a request that is just being sent.
  const agent = new Agent({ keepAlive: true, ca: readFileSync(caFile), timeout: 30_000 });
  return async <Body>(method: string, path: string, body?: unknown, options: RequestOptions = {}) => {
    const { contentType = 'application/json', user = 'admin', headers = {}, signal } = options;
    const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const request = httpsRequest(`${url}${path}`, {
      method,
      agent,
      ...(signal && { signal }),
      headers: {
        authorization: `Bearer ${tokenOf(user)}`,
        ...(payload !== undefined && { 'content-type': contentType, 'content-length': Buffer.byteLength(payload) }),
        ...headers,
      },
    });
    try {
      request.end(payload);
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      return { status: response.statusCode ?? 0, body: parseBody(await text(response), response) as Body };
    } catch (cause) {
      throw new ControlPlaneError('REQUEST_FAILED', `Cannot ${method} "${path}": no answer from ${url}`, { cause });
    }
  };
}

function parseBody(content: string, { headers }: IncomingMessage): unknown {
  return headers['content-type']?.startsWith('application/json') === true ? (JSON.parse(content) as unknown) : content;
}

/** The error for an answer with which the harness cannot continue. */
export function refused(what: string, { status, body }: ApiResponse): ControlPlaneError {
  return new ControlPlaneError('REQUEST_FAILED', `Cannot ${what}: ${status} ${JSON.stringify(body)}`);
}
