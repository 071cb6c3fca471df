import type { Agent as AgentOfHttp, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { ConnectionError, isReconcileError } from '#lib/errors.ts';
import type { Authentication, Credentials, TlsMaterial } from '#lib/kube/credentials/authentication.ts';
import { withoutSecret } from '#lib/kube/credentials/without-secret.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';
import { errorOfAnswer } from '#lib/kube/interface/status-error.ts';
import { errorOfConnection, isUntrusted } from '#lib/kube/transport/connection-error.ts';
import {
  describeRequest,
  type Requester,
  requestTargetOf,
  type TransportRequest,
} from '#lib/kube/transport/request.ts';
import { USER_AGENT } from '#lib/kube/transport/user-agent.ts';
import { createGet } from './reads.ts';
import { createWrites } from './writes.ts';

// An import would read all exports of the module. Some of these load the fetch and WebSocket of Node.js: 13 MiB and 60 ms
// (Node 24.21).
const { Agent: HttpAgent, request: httpRequest } = process.getBuiltinModule('node:http');

/** A client that sends its requests over one connection. */
export interface PlainClient extends Pick<KubeApi, 'get' | 'create' | 'apply' | 'patch' | 'patchStatus' | 'delete'> {
  /** Closes the connection; running requests fail. */
  close(): void;
}

/** Options of {@link createPlainClient}. */
export interface PlainClientOptions {
  /** The time limit for a complete response, over all attempts of a request, in milliseconds, > 0. */
  readonly timeoutMs: number;
}

interface Sending {
  readonly request: TransportRequest;
  /** Aborts when the time of the request is over. Each attempt has the same signal. */
  readonly late: AbortSignal;
}

interface Answer {
  readonly httpStatus: number;
  readonly body: string;
  readonly retryAfter: string | undefined;
}

const bodyOf = async (response: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
};

class PlainTransport implements Requester {
  readonly #credentials: Credentials;
  readonly #timeoutMs: number;
  #tls: TlsMaterial | undefined;
  #agent: AgentOfHttp | undefined;

  constructor(credentials: Credentials, { timeoutMs }: PlainClientOptions) {
    this.#credentials = credentials;
    this.#timeoutMs = timeoutMs;
  }

  async request(request: TransportRequest): Promise<unknown> {
    const doing = describeRequest(request);
    const late = AbortSignal.timeout(Math.ceil(request.timeoutMs ?? this.#timeoutMs));
    try {
      const answer = await this.#exchange({ request, late });
      if (answer.httpStatus < 400) return JSON.parse(answer.body) as unknown;
      throw errorOfAnswer(doing, { ...answer, method: request.method, receivedAt: Date.now() });
    } catch (error) {
      if (isReconcileError(error)) throw error;
      const { server } = this.#credentials;
      if (late.aborted)
        throw new ConnectionError(`Cannot ${doing}: ${server} did not answer in time`, { cause: error });
      throw errorOfConnection(doing, server, error);
    }
  }

  close(): void {
    this.#agent?.destroy();
  }

  /** Sends a request, and sends the request again after a 401 if the credentials have changed. */
  async #exchange(sending: Sending): Promise<Answer> {
    const authentication = await this.#credentials.authenticate();
    const answer = await this.#sendTrusting(sending, authentication);
    if (answer.httpStatus !== 401) return answer;
    await this.#credentials.renew();
    const fresh = await this.#credentials.authenticate();
    return fresh === authentication ? answer : this.#send(sending, fresh);
  }

  /**
   * Sends a request. If the server is not trusted and its CA has been replaced, sends the request again, because the first
   * attempt sent nothing.
   */
  async #sendTrusting(sending: Sending, authentication: Authentication): Promise<Answer> {
    try {
      return await this.#send(sending, authentication);
    } catch (error) {
      if (!isUntrusted(error)) throw error;
      await this.#credentials.renew();
      const fresh = await this.#credentials.authenticate();
      if (fresh.tls === authentication.tls) throw error;
      return this.#send(sending, fresh);
    }
  }

  async #send({ request, late: signal }: Sending, authentication: Authentication): Promise<Answer> {
    const { headers, tls } = authentication;
    const { server } = this.#credentials;
    const sent = request.body === undefined ? undefined : JSON.stringify(request.body);
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const options = {
      method: request.method,
      agent: this.#agentFor(tls),
      signal,
      headers: {
        accept: 'application/json',
        'user-agent': USER_AGENT,
        ...(sent !== undefined && { 'content-type': request.contentType ?? 'application/json' }),
        ...(sent !== undefined && { 'content-length': Buffer.byteLength(sent) }),
        ...headers,
      },
    };
    const send = server.startsWith('https:') ? httpsRequest : httpRequest;
    send(`${server}${requestTargetOf(request)}`, options, resolve)
      .on('error', reject)
      .end(sent);
    const response = await promise;
    const { statusCode: httpStatus = 0, headers: answered } = response;
    const text = await bodyOf(response);
    const body = httpStatus < 400 ? text : withoutSecret(text, authentication);
    return { httpStatus, body, retryAfter: answered['retry-after'] };
  }

  #agentFor(tls: TlsMaterial): AgentOfHttp {
    if (this.#agent !== undefined && tls === this.#tls) return this.#agent;
    // Running requests on the old connection fail, and their callers retry.
    this.#agent?.destroy();
    this.#tls = tls;
    const keptAlive = { keepAlive: true, maxSockets: 1 };
    const isTls = this.#credentials.server.startsWith('https:');
    this.#agent = isTls ? new HttpsAgent({ ...keptAlive, ...tls }) : new HttpAgent(keptAlive);
    return this.#agent;
  }
}

/**
 * Connects to an API server over one connection of the HTTP client of Node.js. The guardian uses this client, because requests of
 * the guardian must not wait for other requests. The client also takes little memory ({@link createKubeClient} takes 7 MiB more).
 *
 * **Guarantees**: after a 401, or if the server is not trusted, a request is sent once more if the renewed credentials differ. No
 * other request is repeated. No attempt starts or continues after `timeoutMs`. Messages contain no tokens.
 *
 * **Caveats**: one request at a time; no lists, no watches.
 */
export const createPlainClient = (credentials: Credentials, options: PlainClientOptions): PlainClient => {
  const transport = new PlainTransport(credentials, options);
  return { ...createWrites(transport), get: createGet(transport), close: () => transport.close() };
};
