import type { Dispatcher } from 'undici';
import { ConfigurationError, ConnectionError, isReconcileError } from '#lib/errors.ts';
import type { Authentication, Credentials } from './authentication.ts';
import { textOf } from './body.ts';
import { errorOfConnection, isUntrusted } from './connection-error.ts';
import { Connections, type ConnectionUse } from './connections.ts';
import { Deadline } from './deadline.ts';
import { describeRequest, type TransportOptions, type TransportRequest, targetOf } from './request.ts';
import { errorOfAnswer } from './status-error.ts';
import { systemTimers, type Timers } from './timers.ts';
import { USER_AGENT } from './user-agent.ts';
import { withoutSecret } from './without-secret.ts';

const DEFAULT_CONNECTIONS = 16;
const DEFAULT_TIMEOUT_MS = 30_000;

/** An answer, and what the request that it answers proved its identity with. */
interface Exchange {
  readonly response: Dispatcher.ResponseData;
  readonly authentication: Authentication;
}

const firstOf = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;

const checkedServer = (credentials: Credentials): URL => {
  const url = URL.parse(credentials.server);
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url;
  throw new ConfigurationError(
    `Cannot connect: the server of ${credentials.source} is not an http(s) URL; set it to one such as https://host:6443`,
  );
};

/**
 * Speaks HTTP to one API server.
 *
 * **Flow**: credentials are asked before every request; an answer of 401 makes them renew, and if that changed them the
 * request is sent once more; so does a server that is not trusted any more, as nothing was sent to it. An answer of 400 or more becomes `ApiError`, no complete answer becomes `ConnectionError`.
 *
 * **Guarantees**: at most `connections` requests at a time, the rest waits (and its time runs); no tokens in messages.
 *
 * **Caveats**: nothing else is sent again here, not even reads: back-off is the caller's, who knows what is still wanted.
 * After a `ConnectionError` for a write nobody knows whether it happened.
 */
export class Transport {
  readonly #credentials: Credentials;
  readonly #connections: Connections;
  readonly #options: TransportOptions;
  readonly #timers: Timers;
  /** The server's URL without user and password. */
  readonly #server: string;
  readonly #basePath: string;
  readonly #host: string;

  /** @throws ConfigurationError when the server's URL is none */
  constructor(credentials: Credentials, options: TransportOptions = {}) {
    const url = checkedServer(credentials);
    this.#credentials = credentials;
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    this.#basePath = url.pathname.replace(/\/+$/, '');
    this.#server = `${url.origin}${this.#basePath}`;
    this.#host = url.host;
    this.#connections = new Connections(url.origin, {
      limit: options.connections ?? DEFAULT_CONNECTIONS,
      beforeWrite: options.beforeWrite,
    });
  }

  /**
   * Sends a request and waits for its whole answer.
   *
   * @returns the parsed JSON
   * @throws ApiError when the server answers with an error
   * @throws ConnectionError when no complete answer comes in time, or one that is not JSON, or `signal` aborts
   */
  async request(request: TransportRequest): Promise<unknown> {
    const deadline = this.#startDeadline(request);
    try {
      const { response } = await this.#exchange(request, request.method === 'GET' ? 'request' : 'write', deadline);
      return this.#parse(request, response, await textOf(describeRequest(request), response.body));
    } catch (error) {
      throw this.#explain(request, deadline, error);
    } finally {
      deadline.release();
    }
  }

  /**
   * Sends a request and hands over the answer's bytes as they arrive, until it ends.
   *
   * @param onChunk - called for each piece; if it throws, the stream ends and rejects with just that
   * @throws ApiError when the server answers with an error
   * @throws ConnectionError when the answer does not begin or end in time, or breaks off, or `signal` aborts
   */
  async stream(request: TransportRequest, onChunk: (chunk: Uint8Array) => void): Promise<void> {
    const deadline = this.#startDeadline(request);
    let isOurs = true;
    try {
      const { response } = await this.#exchange(request, 'watch', deadline);
      deadline.restart(request.streamTimeoutMs);
      for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
        isOurs = false;
        onChunk(chunk);
        isOurs = true;
      }
    } catch (error) {
      throw isOurs ? this.#explain(request, deadline, error) : error;
    } finally {
      deadline.release();
    }
  }

  /** Ends streams at once, requests when they are answered; further ones reject with `ConnectionError`. */
  close(): Promise<void> {
    return this.#connections.close();
  }

  /** Breaks off streams and requests under way, which reject with `ConnectionError`; further ones are sent. */
  abandon(): Promise<void> {
    return this.#connections.abandon();
  }

  #startDeadline(request: TransportRequest): Deadline {
    const { requestTimeoutMs = DEFAULT_TIMEOUT_MS, writeTimeoutMs = requestTimeoutMs } = this.#options;
    const timeoutMs = request.timeoutMs ?? (request.method === 'GET' ? requestTimeoutMs : writeTimeoutMs);
    return new Deadline({ timeoutMs, signal: request.signal, timers: this.#timers });
  }

  /** Sends, once more after a 401 that fresh credentials may cure, and rejects with what the server has against it. */
  async #exchange(request: TransportRequest, use: ConnectionUse, deadline: Deadline): Promise<Exchange> {
    let exchange = await this.#sendTrusting(request, use, deadline);
    if (exchange.response.statusCode === 401) {
      if ((await this.#renewed(deadline)) !== exchange.authentication) {
        await exchange.response.body.dump();
        exchange = await this.#send(request, use, deadline);
      }
    }
    if (exchange.response.statusCode >= 400) throw await this.#refusal(request, exchange);
    return exchange;
  }

  /** Sends, once more when the server is not trusted and its authority turns out to have been replaced. */
  async #sendTrusting(request: TransportRequest, use: ConnectionUse, deadline: Deadline): Promise<Exchange> {
    const { tls } = await deadline.within(this.#credentials.authenticate());
    try {
      return await this.#send(request, use, deadline);
    } catch (error) {
      if (!isUntrusted(error)) throw error;
      if ((await this.#renewed(deadline)).tls === tls) throw error;
      return this.#send(request, use, deadline);
    }
  }

  /** A credential plugin may hang; nobody waits for it longer than for an answer. */
  async #renewed(deadline: Deadline): Promise<Authentication> {
    await deadline.within(this.#credentials.renew());
    return deadline.within(this.#credentials.authenticate());
  }

  async #send(request: TransportRequest, use: ConnectionUse, deadline: Deadline): Promise<Exchange> {
    const { verb, resource, method, body } = request;
    const authentication = await deadline.within(this.#credentials.authenticate());
    const sentAt = performance.now();
    let code: number | undefined;
    try {
      const response = await this.#connections.to(use, authentication.tls).request({
        method,
        path: `${this.#basePath}${targetOf(request)}`,
        headers: {
          accept: 'application/json',
          'user-agent': USER_AGENT,
          ...(body && { 'content-type': request.contentType ?? 'application/json' }),
          ...authentication.headers,
        },
        body: body ? JSON.stringify(body) : null,
        signal: deadline.signal,
      });
      code = response.statusCode;
      return { response, authentication };
    } finally {
      const durationMs = performance.now() - sentAt;
      this.#options.observe?.({ method, host: this.#host, verb, resource, code, durationMs });
    }
  }

  async #refusal(request: TransportRequest, exchange: Exchange): Promise<Error> {
    const { response, authentication } = exchange;
    return errorOfAnswer(describeRequest(request), {
      method: request.method,
      httpStatus: response.statusCode,
      body: withoutSecret(await textOf(describeRequest(request), response.body), authentication),
      retryAfter: firstOf(response.headers['retry-after']),
      receivedAt: this.#timers.now(),
    });
  }

  #parse(request: TransportRequest, response: Dispatcher.ResponseData, text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      const type = firstOf(response.headers['content-type']) ?? 'no content type';
      throw new ConnectionError(
        `Cannot ${describeRequest(request)}: ${this.#server} answered ${response.statusCode} (${type}) but no JSON; ` +
          'is this the URL of an API server?',
      );
    }
  }

  #explain(request: TransportRequest, deadline: Deadline, error: unknown): unknown {
    if (isReconcileError(error)) return error;
    const start = `Cannot ${describeRequest(request)}: ${this.#server}`;
    if (deadline.expired) return new ConnectionError(`${start} did not answer in time`, { cause: error });
    if (request.signal?.aborted) {
      return new ConnectionError(`${start} was not waited for: the caller gave up`, { cause: error });
    }
    return errorOfConnection(describeRequest(request), this.#server, error);
  }
}
