import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { createSecureContext } from 'node:tls';
import { Agent } from 'undici';
import { ConnectionError } from '#lib/errors.ts';
import { type HttpAnswer, type HttpPerformer, type HttpRequest, TlsError } from '#lib/kube/interface/http.ts';
import { isLocalAddress } from './address.ts';
import { tlsFaultOf } from './connection-error.ts';
import { USER_AGENT } from './user-agent.ts';

type Found = (error: Error | null, addresses: LookupAddress[] | string, family?: number) => void;

/** Resolves a host name. Tests replace this function. */
export type Resolve = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Resolves a name when a connection is opened, so that the connection uses the checked address. Local addresses of a name are not
 * used. Otherwise, an author of a resource could reach servers that only this machine can reach.
 */
const lookupChecked =
  (resolve: Resolve) =>
  (hostname: string, options: LookupOptions, callback: Found): void => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const allowed = (error ? [] : addresses).filter(({ address }) => !isLocalAddress(address));
      const [first] = allowed;
      if (error || !first) callback(error ?? new ConnectionError('The name leads to an address of this machine'), []);
      else if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'no code';

const bodyOf = async (
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Pick<HttpAnswer, 'body' | 'isCut'>> => {
  const chunks: Uint8Array[] = [];
  let missing = maxBytes;
  for await (const chunk of stream) {
    chunks.push(chunk.subarray(0, Math.max(0, missing)));
    missing -= chunk.length;
    // The end of the loop also ends the stream and the connection.
    if (missing < 0) break;
  }
  const isCut = missing < 0;
  const body = new TextDecoder().decode(Buffer.concat(chunks), { stream: isCut });
  return { body, ...(isCut && { isCut }) };
};

const firstOf = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;

/** The largest number of certificate authorities with their own connections. The least recently used ones are dropped. */
const MAX_AUTHORITIES = 32;

/** The connections for each certificate authority. A connection is never used with another authority. */
class Agents {
  readonly #resolve: Resolve;
  /** The agents by authority. The last used authority is the last entry. */
  readonly #agents = new Map<string, { readonly named: Agent; readonly local: Agent }>();

  constructor(resolve: Resolve) {
    this.#resolve = resolve;
  }

  /** @throws {Error} when no certificate can be read from `authority` */
  of(authority = ''): { readonly named: Agent; readonly local: Agent } {
    const agents = this.#agents.get(authority) ?? this.#make(authority);
    this.#agents.delete(authority);
    this.#agents.set(authority, agents);
    const [oldest] = this.#agents;
    if (oldest && this.#agents.size > MAX_AUTHORITIES) {
      this.#agents.delete(oldest[0]);
      for (const agent of Object.values(oldest[1])) void agent.close();
    }
    return agents;
  }

  #make(authority: string): { readonly named: Agent; readonly local: Agent } {
    const options = { allowH2: false, headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 10_000 };
    // The certificates are parsed once, because a bundle of a company may contain a hundred of them.
    const trust = authority === '' ? {} : { secureContext: createSecureContext({ ca: authority }) };
    const named = new Agent({ ...options, connect: { ...trust, lookup: lookupChecked(this.#resolve) } });
    return { named, local: new Agent({ ...options, connect: trust }) };
  }

  async destroy(): Promise<void> {
    const all = [...this.#agents.values()].flatMap(({ named, local }) => [named, local]);
    this.#agents.clear();
    await Promise.all(all.map(async (agent) => agent.destroy()));
  }
}

/** An HTTP client for effects, and the function that closes it. */
export interface HttpClient {
  readonly perform: HttpPerformer;
  close(): Promise<void>;
}

/**
 * A client for the HTTP/1.1 requests of effects, such as requests to a webhook or metrics server.
 *
 * **Guarantees**: the client follows no redirect, uses no proxy of the environment, and decompresses nothing. The client verifies
 * certificates; if the request has an authority, only that authority is trusted. The client does not connect to the local
 * addresses of a name ({@link isLocalAddress}). If the URL contains such an address itself or `localhost`, the client connects,
 * because the user allowed this host explicitly. Errors have a code and no content.
 *
 * **Caveats**: the caller sets the time limit with `signal`.
 */
export const createHttpClient = ({ resolve = lookup }: { readonly resolve?: Resolve } = {}): HttpClient => {
  const agents = new Agents(resolve);
  const send = async (request: HttpRequest): Promise<HttpAnswer> => {
    const { method, url, headers, body, authority, maxBytes, signal } = request;
    const { local, named } = agents.of(authority);
    const dispatcher = url.hostname === 'localhost' ? local : named;
    const { origin } = url;
    const path = `${url.pathname}${url.search}`;
    const all = { 'user-agent': USER_AGENT, 'accept-encoding': 'identity', ...headers };
    const response = await dispatcher.request({ origin, path, method, headers: all, body: body ?? null, signal });
    const location = firstOf(response.headers['location']);
    const status = response.statusCode;
    return { status, ...(await bodyOf(response.body, maxBytes)), ...(location !== undefined && { location }) };
  };
  const perform: HttpPerformer = async (request) => {
    try {
      return await send(request);
    } catch (error) {
      const fault = tlsFaultOf(error);
      if (fault !== undefined) throw new TlsError(fault);
      // Messages of Node.js and undici contain host names, which may be secret. The cause is omitted, because it would be logged.
      throw new ConnectionError(`No answer (${codeOf(error)})`);
    }
  };
  return { perform, close: async () => agents.destroy() };
};
