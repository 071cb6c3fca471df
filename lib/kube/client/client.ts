import type { Credentials } from '#lib/kube/credentials/authentication.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';
import type { TransportOptions } from '#lib/kube/transport/request.ts';
import { Transport } from '#lib/kube/transport/transport.ts';
import { createReads } from './reads.ts';
import { createWrites } from './writes.ts';

/** A connection to one API server. */
export interface KubeClient extends KubeApi {
  /**
   * Ends watches immediately, and requests after their responses. Requests over connections that were replaced after a change of
   * the TLS settings are aborted. Later requests reject with `ConnectionError`.
   */
  close(): Promise<void>;
  /**
   * Aborts running watches and requests, which reject with `ConnectionError`. The outcome of an aborted write is unknown. Later
   * requests are sent as usual.
   */
  abandon(): Promise<void>;
}

/**
 * Connects to an API server. No request is sent before the first call.
 *
 * **Flow**: requests share a pool of kept-alive connections; each watch has its own connection.
 *
 * **Guarantees**: the same as those of {@link Transport}. After a 401, or if the server is not trusted, a request is sent once
 * more if the renewed credentials differ. No other request is repeated.
 *
 * **Caveats**: new connections use rotated certificates; a running watch keeps its connection until it ends.
 *
 * @throws ConfigurationError when the server of the credentials is not an http(s) URL
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
