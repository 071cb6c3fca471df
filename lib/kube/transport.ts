import { ConfigurationError, ConnectionError, isReconcileError } from '#lib/errors.ts';
import type { Authentication, Credentials } from './authentication.ts';
import { errorOfConnection, isUntrusted } from './connection-error.ts';
import { Connections } from './connections.ts';
import { Deadline } from './deadline.ts';
import { type Answer, exchange } from './exchange.ts';
import { describeRequest, type TransportOptions, type TransportRequest, targetOf } from './request.ts';
import { errorOfAnswer } from './status-error.ts';
import { systemTimers, type Timers } from './timers.ts';
import { USER_AGENT } from './user-agent.ts';
import { withoutSecret } from './without-secret.ts';

const DEFAULT_CONNECTIONS = 16;
const DEFAULT_TIMEOUT_MS = 30_000;

/** An answer, and what the request that it answers proved its identity with. */
interface Answered {
  readonly answer: Answer;
  readonly authentication: Authentication;
}

/** A request under way. */
interface Sending {
  readonly request: TransportRequest;
  readonly deadline: Deadline;
  /** For a stream. */
  readonly onHead?: () => void;
  readonly onChunk?: (chunk: Uint8Array) => void;
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
    this.#connections = new Connections(url.origin, options.connections ?? DEFAULT_CONNECTIONS);
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
      return this.#parse(request, await this.#exchange({ request, deadline }));
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
      await this.#exchange({
        request,
        deadline,
        onHead: () => deadline.restart(request.streamTimeoutMs),
        onChunk: (chunk) => {
          isOurs = false;
          onChunk(chunk);
          isOurs = true;
        },
      });
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
  async #exchange(sending: Sending): Promise<Answer> {
    let answered = await this.#sendTrusting(sending);
    if (answered.answer.status === 401) {
      const renewed = await this.#renewed(sending.deadline);
      if (renewed !== answered.authentication) answered = await this.#send(sending, renewed);
    }
    if (answered.answer.status >= 400) throw this.#refusal(sending.request, answered);
    return answered.answer;
  }

  /** Sends, once more when the server is not trusted and its authority turns out to have been replaced. */
  async #sendTrusting(sending: Sending): Promise<Answered> {
    const authentication = await sending.deadline.within(this.#credentials.authenticate());
    try {
      return await this.#send(sending, authentication);
    } catch (error) {
      if (!isUntrusted(error)) throw error;
      const renewed = await this.#renewed(sending.deadline);
      if (renewed.tls === authentication.tls) throw error;
      return this.#send(sending, renewed);
    }
  }

  /** A credential plugin may hang; nobody waits for it longer than for an answer. */
  async #renewed(deadline: Deadline): Promise<Authentication> {
    await deadline.within(this.#credentials.renew());
    return deadline.within(this.#credentials.authenticate());
  }

  async #send({ request, deadline, onHead, onChunk }: Sending, authentication: Authentication): Promise<Answered> {
    const { method, body } = request;
    const told = this.#observed(request);
    const headers = {
      accept: 'application/json',
      'user-agent': USER_AGENT,
      ...(body && { 'content-type': request.contentType ?? 'application/json' }),
      ...authentication.headers,
    };
    const path = `${this.#basePath}${targetOf(request)}`;
    try {
      const dispatcher = this.#connections.to(onChunk ? 'watch' : 'request', authentication.tls);
      const answer = await exchange(
        dispatcher,
        { method, path, headers, body: body ? JSON.stringify(body) : null },
        {
          what: describeRequest(request),
          signal: deadline.signal,
          // A write may have waited for a connection, or this process stood still, since somebody said that it may start.
          beforeSend: method === 'GET' ? undefined : this.#options.beforeWrite,
          onHead: (status) => {
            told(status);
            if (status < 400) onHead?.();
          },
          onChunk,
        },
      );
      return { answer, authentication };
    } finally {
      told();
    }
  }

  /** Tells the observer how long it took until the answer began, once. */
  #observed({ verb, resource, method }: TransportRequest): (status?: number) => void {
    const { observe } = this.#options;
    const sentAt = performance.now();
    let isTold = observe === undefined;
    return (code) => {
      if (isTold) return;
      isTold = true;
      observe?.({ method, host: this.#host, verb, resource, code, durationMs: performance.now() - sentAt });
    };
  }

  #refusal(request: TransportRequest, { answer, authentication }: Answered): Error {
    return errorOfAnswer(describeRequest(request), {
      method: request.method,
      httpStatus: answer.status,
      body: withoutSecret(answer.text, authentication),
      retryAfter: firstOf(answer.headers['retry-after']),
      receivedAt: this.#timers.now(),
    });
  }

  #parse(request: TransportRequest, { status, headers, text }: Answer): unknown {
    try {
      return JSON.parse(text);
    } catch {
      const type = firstOf(headers['content-type']) ?? 'no content type';
      throw new ConnectionError(
        `Cannot ${describeRequest(request)}: ${this.#server} answered ${status} (${type}) but no JSON; ` +
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
