import { ConfigurationError, ConnectionError, isReconcileError, NotSentError } from '#lib/errors.ts';
import type { Authentication, Credentials } from '#lib/kube/credentials/authentication.ts';
import { withoutSecret } from '#lib/kube/credentials/without-secret.ts';
import { errorOfAnswer } from '#lib/kube/interface/status-error.ts';
import { systemTimers, type Timers } from '#lib/kube/interface/timers.ts';
import { errorOfConnection, isUntrusted } from './connection-error.ts';
import { Connections } from './connections.ts';
import { Deadline } from './deadline.ts';
import { exchange, type TransportAnswer } from './exchange.ts';
import { BrokenStreamError } from './malformed.ts';
import { describeRequest, requestTargetOf, type TransportOptions, type TransportRequest } from './request.ts';
import { USER_AGENT } from './user-agent.ts';

const DEFAULT_CONNECTIONS = 16;
const DEFAULT_TIMEOUT_MS = 30_000;

interface Answered {
  readonly answer: TransportAnswer;
  readonly authentication: Authentication;
}

interface Sending {
  readonly request: TransportRequest;
  /**
   * The time limit. The limit applies to the wait for credentials, and then again from the moment at which the request is sent.
   */
  readonly deadline: Deadline;
  /** Whether a part of the request may have been sent. */
  isSent: boolean;
  /** Called when the response of a stream begins. */
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
 * The HTTP connection to one API server.
 *
 * **Flow**: the transport gets the credentials before every request. After a 401, or if the server is not trusted and nothing was
 * sent, the transport renews the credentials. If the credentials changed, the transport sends the request once more. A response
 * of 400 or more becomes `ApiError`; an incomplete or missing response becomes `ConnectionError`.
 *
 * **Guarantees**: at most `connections` requests run at a time, apart from streams and requests over replaced connections. Other
 * requests wait, and their time limit begins when they are sent. A failure before a request was sent rejects with `NotSentError`,
 * or with the error of `beforeWrite`. Messages contain no tokens.
 *
 * **Caveats**: no other request is sent again, not even a read. The caller decides on retries, because some requests are no
 * longer needed. After any other `ConnectionError` of a write, it is unknown whether the write was executed.
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

  /** @throws ConfigurationError when the server of the credentials is not a URL */
  constructor(credentials: Credentials, options: TransportOptions = {}) {
    const url = checkedServer(credentials);
    this.#credentials = credentials;
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    this.#basePath = url.pathname.replace(/\/+$/, '');
    this.#server = `${url.origin}${this.#basePath}`;
    this.#host = url.host;
    const { connections: limit = DEFAULT_CONNECTIONS, requestTimeoutMs: timeoutMs = DEFAULT_TIMEOUT_MS } = options;
    this.#connections = new Connections(url.origin, { limit, timeoutMs });
  }

  /**
   * Sends a request and waits for its complete response.
   *
   * @returns the parsed JSON
   * @throws ApiError when the server responds with an error
   * @throws ConnectionError when there is no complete response in time, when the response is not JSON, or when `signal` aborts
   */
  async request(request: TransportRequest): Promise<unknown> {
    const sending: Sending = { request, deadline: this.#startDeadline(request), isSent: false };
    try {
      return this.#parse(request, await this.#exchange(sending));
    } catch (error) {
      throw this.#explain(sending, error);
    } finally {
      sending.deadline.release();
    }
  }

  /**
   * Sends a request and delivers the bytes of the response as they arrive, until it ends.
   *
   * @param onChunk - called for each piece; if it throws, the stream ends and rejects with the thrown value
   * @throws ApiError when the server responds with an error
   * @throws ConnectionError when the response does not begin or end in time, or `signal` aborts
   * @throws BrokenStreamError when the response breaks off
   */
  async stream(request: TransportRequest, onChunk: (chunk: Uint8Array) => void): Promise<void> {
    const deadline = this.#startDeadline(request);
    let isOurs = true;
    let hasBegun = false;
    const sending: Sending = {
      request,
      deadline,
      isSent: false,
      onHead: () => {
        hasBegun = true;
        deadline.restart(request.streamTimeoutMs);
      },
      onChunk: (chunk) => {
        isOurs = false;
        onChunk(chunk);
        isOurs = true;
      },
    };
    try {
      await this.#exchange(sending);
    } catch (error) {
      if (!isOurs) throw error;
      const failure = this.#explain(sending, error);
      const isBroken = hasBegun && !isReconcileError(error) && !deadline.expired;
      throw isBroken ? new BrokenStreamError((failure as Error).message, { cause: error }) : failure;
    } finally {
      deadline.release();
    }
  }

  /**
   * Ends streams at once, and requests after their responses. Aborts requests over replaced connections. Later requests reject
   * with `ConnectionError`.
   */
  close(): Promise<void> {
    return this.#connections.close();
  }

  /** Aborts running streams and requests, which reject with `ConnectionError`. Later requests are sent as usual. */
  abandon(): Promise<void> {
    return this.#connections.abandon();
  }

  #startDeadline(request: TransportRequest): Deadline {
    return new Deadline({ timeoutMs: this.#timeoutOf(request), signal: request.signal, timers: this.#timers });
  }

  #timeoutOf(request: TransportRequest): number {
    const { requestTimeoutMs = DEFAULT_TIMEOUT_MS, writeTimeoutMs = requestTimeoutMs } = this.#options;
    return request.timeoutMs ?? (request.method === 'GET' ? requestTimeoutMs : writeTimeoutMs);
  }

  /** Sends a request, and sends it once more after a 401 if there are new credentials; rejects with the error of the server. */
  async #exchange(sending: Sending): Promise<TransportAnswer> {
    let answered = await this.#sendTrusting(sending);
    if (answered.answer.status === 401) {
      const renewed = await this.#renewed(sending.deadline);
      if (renewed !== answered.authentication) answered = await this.#send(sending, renewed);
    }
    if (answered.answer.status >= 400) throw this.#refusal(sending.request, answered);
    return answered.answer;
  }

  /** Sends a request. If the server is not trusted and the CA has been replaced, sends the request once more. */
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

  /** Renews the credentials. A credential plugin may hang, so the deadline of the request applies. */
  async #renewed(deadline: Deadline): Promise<Authentication> {
    await deadline.within(this.#credentials.renew());
    return deadline.within(this.#credentials.authenticate());
  }

  async #send(sending: Sending, authentication: Authentication): Promise<Answered> {
    const { request, deadline, onHead, onChunk } = sending;
    const { method, body } = request;
    sending.isSent = false;
    // The wait for a free connection has no time limit. The requests that use the connections have a time limit.
    deadline.restart(undefined);
    const told = this.#observed(request);
    const headers = {
      accept: request.accept ?? 'application/json',
      'user-agent': USER_AGENT,
      ...(body && { 'content-type': request.contentType ?? 'application/json' }),
      ...authentication.headers,
    };
    const path = `${this.#basePath}${requestTargetOf(request)}`;
    try {
      const dispatcher = this.#connections.to(onChunk ? 'watch' : 'request', authentication.tls);
      const answer = await exchange(
        dispatcher,
        { method, path, headers, body: body ? JSON.stringify(body) : null },
        {
          what: describeRequest(request),
          signal: deadline.signal,
          beforeSend: () => {
            // The caller may refuse the write now, for example after a wait for a connection, or a pause of the process.
            if (method !== 'GET') this.#options.beforeWrite?.();
            sending.isSent = true;
            deadline.restart(this.#timeoutOf(request));
          },
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

  /** Returns a function that reports the duration of a request to the observer, once. */
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

  #parse(request: TransportRequest, { status, headers, text }: TransportAnswer): unknown {
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

  #explain(sending: Sending, error: unknown): unknown {
    if (isReconcileError(error)) return error;
    const failure = this.#failure(sending, error);
    return sending.isSent ? failure : new NotSentError(failure.message, { cause: error });
  }

  #failure({ request, deadline }: Sending, error: unknown): ConnectionError {
    const start = `Cannot ${describeRequest(request)}: ${this.#server}`;
    if (deadline.expired) return new ConnectionError(`${start} did not answer in time`, { cause: error });
    if (request.signal?.aborted) {
      return new ConnectionError(`${start} was not waited for: the caller gave up`, { cause: error });
    }
    return errorOfConnection(describeRequest(request), this.#server, error);
  }
}
