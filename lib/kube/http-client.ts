import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { Agent } from 'undici';
import { ConnectionError } from '#lib/errors.ts';
import { isLocalAddress } from './address.ts';
import type { HttpAnswer, HttpPerformer, HttpRequest } from './http.ts';
import { USER_AGENT } from './user-agent.ts';

type Found = (error: Error | null, addresses: LookupAddress[] | string, family?: number) => void;

/** Says where the server is that a name stands for; replaced in tests. */
export type Resolve = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Looks a name up when a connection is opened, so that what is checked is what is connected to: a name that leads to this
 * machine or its link is an attempt to reach what only we can reach.
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

const bodyOf = async (stream: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let missing = maxBytes;
  for await (const chunk of stream) {
    chunks.push(chunk.subarray(0, missing));
    missing -= chunk.length;
    // Leaving the loop ends the stream, and the connection with it.
    if (missing <= 0) break;
  }
  return new TextDecoder().decode(Buffer.concat(chunks), { stream: missing <= 0 });
};

const firstOf = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;

/** An HTTP client for effects, and its end. */
export interface HttpClient {
  readonly perform: HttpPerformer;
  close(): Promise<void>;
}

/**
 * Speaks HTTP/1.1 to servers that are not the API server.
 *
 * **Guarantees**: no redirect is followed, no proxy of the environment is used, nothing is decompressed; certificates are
 * verified; a name that leads to a loopback or link-local address is not connected to, an address in the URL is (whoever
 * allowed it meant it, as `localhost`). Errors carry a code and no content.
 *
 * **Caveats**: deadlines are the caller's, by `signal`.
 */
export const createHttpClient = ({ resolve = lookup }: { readonly resolve?: Resolve } = {}): HttpClient => {
  const options = { allowH2: false, headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 10_000 };
  const named = new Agent({ ...options, connect: { lookup: lookupChecked(resolve) } });
  const local = new Agent(options);
  const send = async ({ method, url, headers, body, maxBytes, signal }: HttpRequest): Promise<HttpAnswer> => {
    const dispatcher = url.hostname === 'localhost' ? local : named;
    const { origin } = url;
    const path = `${url.pathname}${url.search}`;
    const all = { 'user-agent': USER_AGENT, 'accept-encoding': 'identity', ...headers };
    const response = await dispatcher.request({ origin, path, method, headers: all, body: body ?? null, signal });
    const location = firstOf(response.headers['location']);
    const status = response.statusCode;
    return { status, body: await bodyOf(response.body, maxBytes), ...(location !== undefined && { location }) };
  };
  const perform: HttpPerformer = async (request) => {
    try {
      return await send(request);
    } catch (error) {
      // What Node and undici say names hosts, which may be secret; the cause would be logged with it.
      throw new ConnectionError(`No answer (${codeOf(error)})`);
    }
  };
  const close = async (): Promise<void> => {
    await Promise.all([named.destroy(), local.destroy()]);
  };
  return { perform, close };
};
