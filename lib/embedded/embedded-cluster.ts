import type { RequestRecord } from '#lib/sim/http/http-face.ts';
import { assemble, tokenOf } from './cluster-parts.ts';
import { lockDataFile, readDataFile } from './data-file.ts';
import { Files } from './files.ts';
import { identityFor } from './identity.ts';
import { type Listener, listen } from './listener.ts';
import type { EmbeddedClusterOptions } from './options.ts';

/** A cluster in this process, behind HTTPS. */
export interface EmbeddedCluster extends AsyncDisposable {
  /** Such as `https://127.0.0.1:40123`. */
  readonly url: string;
  /** The authority of its certificate, in PEM. */
  readonly ca: string;
  /** Of the administrator, who may do anything. */
  readonly adminToken: string;
  /** A file with the administrator's credentials, which only this user can read; gone after `close`. */
  readonly kubeconfig: string;
  /**
   * A token of a service account, good for a day.
   * @throws {ConfigurationError} when there is no such service account
   */
  tokenOf(namespace: string, serviceAccount: string): string;
  /** A kubeconfig file with such a token. */
  kubeconfigOf(namespace: string, serviceAccount: string): Promise<string>;
  /** The requests that were answered, oldest first; the last 10,000. */
  requests(): readonly RequestRecord[];
  /** Ends watches, closes connections and the port, removes the files. A second call waits for the first. */
  close(): Promise<void>;
}

const start = async (options: EmbeddedClusterOptions, unlock: () => Promise<void>): Promise<EmbeddedCluster> => {
  const { port = 0, host = '127.0.0.1', dataFile } = options;
  const stored = dataFile === undefined ? undefined : await readDataFile(dataFile);
  const identity = identityFor(host, stored?.identity);
  const { ca, adminToken } = identity;
  let listener: Listener | undefined;
  const data = { identity, objects: stored?.objects ?? [] };
  const parts = assemble(options, { data, address: () => listener?.address ?? '' });
  listener = await listen(parts.face, { port, host, certificates: identity });
  const { url } = listener;
  const files = await Files.create();
  const kubeconfig = await files.writeKubeconfig({ url, ca, token: adminToken, user: 'admin' });
  parts.loop.wake();
  const close = async (): Promise<void> => {
    parts.loop.close();
    parts.face.endWatches();
    parts.actors.close();
    await listener.close();
    await files.remove();
    parts.dataFile?.close();
    await unlock();
  };
  let closed: Promise<void> | undefined;
  const cluster: EmbeddedCluster = {
    url,
    ca,
    adminToken,
    kubeconfig,
    tokenOf: (namespace, name) => tokenOf(parts, namespace, name),
    kubeconfigOf: (namespace, name) =>
      files.writeKubeconfig({
        url,
        ca,
        token: tokenOf(parts, namespace, name),
        user: `${namespace}.${name}`,
        namespace,
      }),
    requests: () => parts.records.items,
    close: () => (closed ??= close()),
    [Symbol.asyncDispose]: () => cluster.close(),
  };
  return cluster;
};

/**
 * Starts a Kubernetes cluster in this process: the virtual one of `lib/sim`, on the real clock and behind real HTTPS, so that kubectl
 * and operators work with it as with any other. Needs no Go, no Docker and no network.
 *
 * Flow: certificate → API server with RBAC → controllers, scheduler, kubelets as real time passes → port → kubeconfig.
 *
 * Guarantees: when it resolves, it answers; when `close` resolves, nothing is left, neither port, timer nor file. At rest it does
 * nothing.
 *
 * Caveats: no container runs anywhere; what is not served is refused by name (501): docs/embedded.md. Without a data file all is forgotten when it closes.
 *
 * @throws {ConfigurationError} when the port is taken, the address is not one of this machine, or the data file is damaged or in use
 * @example
 * await using cluster = await startEmbeddedCluster();
 * console.log(`KUBECONFIG=${cluster.kubeconfig} kubectl get namespaces`);
 */
export const startEmbeddedCluster = async (options: EmbeddedClusterOptions = {}): Promise<EmbeddedCluster> => {
  const { dataFile } = options;
  if (dataFile === undefined) return start(options, async () => {});
  const unlock = await lockDataFile(dataFile);
  try {
    return await start(options, unlock);
  } catch (error) {
    await unlock();
    throw error;
  }
};
