import type { KubeApi } from './api.ts';
import type { Credentials } from './authentication.ts';
import { createReads } from './client-reads.ts';
import { createWrites } from './client-writes.ts';
import type { TransportOptions } from './request.ts';
import { Transport } from './transport.ts';

/** A connection to one API server. */
export interface KubeClient extends KubeApi {
  /** Ends watches at once, requests when they are answered; further ones reject with `ConnectionError`. */
  close(): Promise<void>;
  /** Aborts watches and requests, which reject with `ConnectionError`; their effect is unknown. Later ones are sent. */
  abandon(): Promise<void>;
}

/**
 * Connects to an API server. Nothing is sent before the first call.
 *
 * **Flow**: requests share a pool of kept-alive connections; each watch has a connection of its own.
 *
 * **Guarantees**: those of {@link Transport}: one more try after a 401 with renewed credentials, and no others.
 *
 * **Caveats**: rotated certificates are taken up by new connections; a watch under way stays on its old one until it ends.
 *
 * @throws ConfigurationError when the server of the credentials is not a URL
 * @example
 * const client = createKubeClient(await loadCredentials());
 * const pods = { apiVersion: 'v1', kind: 'Pod', plural: 'pods', scope: 'Namespaced' } as const;
 * const { items } = await client.list(pods, { namespace: 'default', limit: 500 });
 * await client.close();
 */
export const createKubeClient = (credentials: Credentials, options: TransportOptions = {}): KubeClient => {
  const transport = new Transport(credentials, options);
  return {
    ...createReads(transport),
    ...createWrites(transport),
    close: () => transport.close(),
    abandon: () => transport.abandon(),
  };
};
