import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigurationError } from '#lib/errors.ts';
import { readJsonBody } from './json-body.ts';
import { foreignRequest, type RequestRefusal } from './request-rules.ts';
import { randomSecret, SESSION_COOKIE, UiSessions } from './sessions.ts';

/** The contents of a page, and its content security policy. */
export interface ServedPage {
  readonly html: string;
  readonly policy: string;
}

/** Options for {@link startUiServer}. */
export interface UiServerOptions {
  /** The port on 127.0.0.1. @default 0: any free port */
  readonly port?: number;
  readonly page: ServedPage;
  /** Takes over a response, and streams events to it. */
  readonly stream: (response: ServerResponse) => void;
  /** Answers to requests with a JSON body, by path. An answer is JSON. */
  readonly actions: Readonly<Record<string, (body: unknown) => Promise<object>>>;
  /** Called when a browser without a session asks for the page, at most once in ten seconds. The URL is valid once. */
  readonly onStranger: (url: string) => void;
}

/** A running server of the page. */
export interface UiServer extends AsyncDisposable {
  /** The address of the page, with a token that is valid once. */
  readonly url: string;
}

/** Time between two new addresses for browsers without a session, in milliseconds. */
const STRANGER_PAUSE_MS = 10_000;

const HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

const UNKNOWN_SESSION =
  'This browser has no session. The address in the terminal is valid once, and in one browser only. The terminal of dev has printed a new address; open that.';

class UiRequests {
  readonly #options: UiServerOptions;
  readonly #sessions = new UiSessions();
  /** The path of the page. A cookie with this path is not sent to servers on other ports of 127.0.0.1. */
  readonly #path = `/${randomSecret().slice(0, 16)}/`;
  #authority = '';
  #strangerAt = -Infinity;

  constructor(options: UiServerOptions) {
    this.#options = options;
  }

  listensAt(port: number): void {
    // As in the headers of a browser, the URL has no port if the port is 80.
    this.#authority = new URL(`http://127.0.0.1:${port}`).host;
  }

  newUrl(): string {
    return `http://${this.#authority}${this.#path}?token=${this.#sessions.newToken()}`;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    const { method = '', headers, url = '' } = request;
    const refusal = foreignRequest({ method, headers }, this.#authority);
    if (refusal !== undefined) return this.#refuse(response, refusal);
    const [path = '', query = ''] = url.split('?', 2);
    const name = path.startsWith(this.#path) ? path.slice(this.#path.length) : undefined;
    const token = new URLSearchParams(query).get('token');
    if (name === '' && method === 'GET' && token !== null) return this.#exchange(response, token, headers.cookie);
    if (!this.#sessions.isKnown(headers.cookie)) return this.#refuseStranger(response, path);
    return this.#route(name, request, response);
  }

  async #route(name: string | undefined, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { page, stream, actions } = this.#options;
    const { method } = request;
    const isAction = name !== undefined && Object.hasOwn(actions, name);
    if (name !== '' && name !== 'events' && !isAction)
      return this.#refuse(response, { code: 404, text: 'There is no such page.' });
    const allowed = isAction ? 'POST' : 'GET';
    if (method !== allowed) {
      response.setHeader('allow', allowed);
      return this.#refuse(response, { code: 405, text: `Refused: only ${allowed} is possible here.` });
    }
    if (name === 'events') return stream(response);
    if (isAction) return this.#act(name, request, response);
    response.setHeader('content-security-policy', page.policy);
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page.html);
  }

  async #act(name: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readJsonBody(request);
    if ('refusal' in body) {
      response.setHeader('connection', 'close');
      return this.#refuse(response, body.refusal);
    }
    const answer = await this.#options.actions[name]?.(body.value);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }

  /** Exchanges a token for a session. A browser that has a session can open an address again, such as from its history. */
  #exchange(response: ServerResponse, token: string, cookies: string | undefined): void {
    const session = this.#sessions.exchange(token);
    if (session !== undefined)
      response.setHeader('set-cookie', `${SESSION_COOKIE}=${session}; Path=${this.#path}; HttpOnly; SameSite=Strict`);
    else if (!this.#sessions.isKnown(cookies)) return this.#refuseStranger(response, this.#path);
    response.writeHead(303, { location: this.#path }).end();
  }

  /**
   * Refuses a browser without a session. If it asks for the page itself, the terminal gets a new address, at most once in ten
   * seconds.
   */
  #refuseStranger(response: ServerResponse, path: string): void {
    const nowMs = performance.now();
    if (path === this.#path && nowMs - this.#strangerAt >= STRANGER_PAUSE_MS) {
      this.#strangerAt = nowMs;
      this.#options.onStranger(this.newUrl());
    }
    this.#refuse(response, { code: 401, text: UNKNOWN_SESSION });
  }

  #refuse(response: ServerResponse, { code, text }: RequestRefusal): void {
    response.writeHead(code, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
  }
}

/** The remedy for a port that cannot be used. @param code - the error code of the system */
const portRemedy = (code: string | undefined): string =>
  code === 'EACCES'
    ? 'this user may not open the port; choose a port above 1023 by --ui-port'
    : 'choose another by --ui-port';

const listening = async (server: Server, port: number): Promise<number> => {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (cause) {
    const { message, code } = cause as NodeJS.ErrnoException;
    throw new ConfigurationError(`Cannot serve the page on port ${port}: ${message}; ${portRemedy(code)}`, { cause });
  }
  return (server.address() as AddressInfo).port;
};

/**
 * Starts the server of the page on 127.0.0.1.
 *
 * Guarantees: only a browser with a session gets the page, its events and the answers of actions. The token in the URL is
 * exchanged for a session once. Requests for other hosts and from other sites are refused.
 *
 * @throws {ConfigurationError} when the port cannot be used
 */
export const startUiServer = async (options: UiServerOptions): Promise<UiServer> => {
  const requests = new UiRequests(options);
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 30_000 }, (request, response) => {
    requests.answer(request, response).catch(() => response.destroy());
  });
  server.maxConnections = 64;
  requests.listensAt(await listening(server, options.port ?? 0));
  return {
    url: requests.newUrl(),
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};
