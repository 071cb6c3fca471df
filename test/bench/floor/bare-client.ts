import { readFile } from 'node:fs/promises';
import { type Dispatcher, Pool } from 'undici';
import type { ControlPlaneClient } from '#test/control-plane/client.ts';

/** Concurrent requests: the same limit as the loop under test has. */
export const IN_FLIGHT = 16;

/** One request of the bare client. */
export interface BareRequest {
  readonly method: Dispatcher.HttpMethod;
  readonly path: string;
  /** JSON, ready to be sent. @default none */
  readonly body?: string;
  readonly token: string;
  /** @default 'application/json' */
  readonly contentType?: string;
}

/**
 * A minimal client of the API server: kept-alive connections, as many concurrent requests as connections, and nothing
 * else. The time that it needs for some writes is the floor of the comparison.
 */
export interface BareClient extends AsyncDisposable {
  /** @returns the body of the answer, not parsed. @throws {Error} for a status that is not 2xx */
  readonly send: (request: BareRequest) => Promise<string>;
  /** Opens a stream, such as a watch, on a connection of its own. */
  readonly open: (path: string, token: string, signal: AbortSignal) => Promise<AsyncIterable<Buffer>>;
}

/**
 * Connects to a server.
 *
 * @param server.ca - in PEM
 */
export const connectBare = ({ url, ca }: { readonly url: string; readonly ca: string }): BareClient => {
  const options = { allowH2: false, pipelining: 1, connect: { ca } };
  const requests = new Pool(url, { ...options, connections: IN_FLIGHT });
  const streams = new Pool(url, { ...options, bodyTimeout: 0 });
  return {
    send: async ({ method, path, body, token, contentType = 'application/json' }) => {
      const headers = { authorization: `Bearer ${token}`, accept: 'application/json', 'content-type': contentType };
      const response = await requests.request({ method, path, headers, body: body || null });
      const text = await response.body.text();
      if (response.statusCode < 300) return text;
      throw new Error(`Cannot ${method} ${path}: ${response.statusCode} ${text}`);
    },
    open: async (path, token, signal) => {
      const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
      const response = await streams.request({ method: 'GET', path, headers, signal });
      if (response.statusCode === 200) return response.body as AsyncIterable<Buffer>;
      throw new Error(`Cannot open ${path}: ${response.statusCode} ${await response.body.text()}`);
    },
    [Symbol.asyncDispose]: async () => void (await Promise.all([requests.close(), streams.destroy()])),
  };
};

/** Connects to a plane. */
export const createBareClient = async ({ url, access }: ControlPlaneClient): Promise<BareClient> =>
  connectBare({ url, ca: await readFile(access.caFile, 'utf8') });

/** Processes all items in order, {@link IN_FLIGHT} at a time. */
export const inFlight = async <T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> => {
  const queue = items.values();
  const worker = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
};
