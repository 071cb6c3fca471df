import type { RequestRecord } from '#lib/apiserver/http/http-api.ts';
import { Endings } from '#lib/process/endings.ts';
import { assemble, tokenOf } from './cluster-parts.ts';
import { identityFor } from './data/identity.ts';
import { openKeptFile } from './data/kept-file.ts';
import { Files } from './files.ts';
import { type Listener, listen } from './listener.ts';
import type { EmbeddedClusterOptions } from './options.ts';

/** A Kubernetes cluster in this process, which serves HTTPS. */
export interface EmbeddedCluster extends AsyncDisposable {
  /** The base URL, such as `https://127.0.0.1:40123`. */
  readonly url: string;
  /** The certificate authority, in PEM. */
  readonly ca: string;
  /** The token of the administrator, which permits all requests. */
  readonly adminToken: string;
  /** Path of a kubeconfig file with the administrator's credentials. Only this user can read the file; `close` removes it. */
  readonly kubeconfig: string;
  /**
   * Returns a token of a service account, which is valid for a day.
   *
   * @throws {ConfigurationError} when the service account does not exist
   */
  tokenOf(namespace: string, serviceAccount: string): string;
  /** Writes a kubeconfig file with a token of a service account, and returns its path. Throws as `tokenOf` does. */
  kubeconfigOf(namespace: string, serviceAccount: string): Promise<string>;
  /** Returns the last 10,000 requests that have a response, oldest first. */
  requests(): readonly RequestRecord[];
  /**
   * Stops the cluster: ends watches, closes connections and the port, and removes the kubeconfig files. The data file stays. The
   * call takes at most a second plus the time to write the data file. Later calls wait for the first call.
   *
   * @throws {ConfigurationError} when the data file cannot be written; the rest of the cleanup is done nevertheless
   */
  close(): Promise<void>;
}

const isLocal = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);

const warnOfOthers = (host: string): void =>
  process.emitWarning(
    `The embedded cluster can be reached from other machines at ${host}, protected only by its tokens; use 127.0.0.1 unless that is intended`,
    'EmbeddedClusterWarning',
  );

const begin = async (options: EmbeddedClusterOptions, endings: Endings): Promise<EmbeddedCluster> => {
  const { port = 0, host = '127.0.0.1', dataFile } = options;
  const kept = dataFile === undefined ? undefined : await openKeptFile(dataFile, endings);
  const identity = identityFor(host, kept?.data?.identity);
  const { ca, adminToken } = identity;
  let listener: Listener | undefined;
  const parts = assemble(options, { identity, kept, address: () => listener?.address ?? '' });
  // If the start fails, the objects of the cluster are not written to the data file.
  let isReady = false;
  endings.add(() => parts.dataFile?.close({ isKept: isReady }));
  const opened = await listen(parts.api, { port, host, certificates: identity });
  listener = opened;
  endings.add(() => opened.close());
  if (!isLocal(host)) warnOfOthers(host);
  endings.add(() => {
    parts.loop.close();
    parts.api.endWatches();
    parts.actors.close();
  });
  const { url } = listener;
  const files = await Files.create();
  endings.add(() => files.remove());
  const kubeconfig = await files.writeKubeconfig({ url, ca, token: adminToken, user: 'admin' });
  parts.loop.wake();
  isReady = true;
  const tokenFor = (namespace: string, name: string): string => tokenOf(parts, namespace, name);
  return {
    url,
    ca,
    adminToken,
    kubeconfig,
    tokenOf: tokenFor,
    kubeconfigOf: async (namespace, name) => {
      const user = `${namespace}.${name}`;
      return files.writeKubeconfig({ url, ca, token: tokenFor(namespace, name), user, namespace });
    },
    requests: () => parts.records.items,
    close: () => endings.run(),
    [Symbol.asyncDispose]: () => endings.run(),
  };
};

/**
 * Starts a Kubernetes cluster in this process: the API server and controllers of the virtual cluster, with the real clock and
 * HTTPS. kubectl and operators can use it like any other cluster. The cluster needs neither Go nor Docker nor a network.
 *
 * Flow: certificate → API server with RBAC → controllers, scheduler and kubelets in real time → port → kubeconfig.
 *
 * Guarantees: when the promise resolves, the cluster handles requests. After `close`, no port, timer or temporary file remains.
 * An idle cluster runs no code, except while it has events or a data file.
 *
 * Caveats: no container runs. The server refuses unsupported resources with code 501 and their name (docs/embedded.md). Without a
 * data file, all objects are lost when the cluster stops.
 *
 * @throws {ConfigurationError} when the cluster cannot listen on the address and port, a node name is invalid, or the data file
 * cannot be used, for example because it is damaged or in use
 * @example
 * await using cluster = await startEmbeddedCluster();
 * console.log(`KUBECONFIG=${cluster.kubeconfig} kubectl get namespaces`);
 */
export const startEmbeddedCluster = async (options: EmbeddedClusterOptions = {}): Promise<EmbeddedCluster> => {
  const endings = new Endings();
  try {
    return await begin(options, endings);
  } catch (error) {
    // The caller needs the original error, so an error of the cleanup must not replace it.
    await endings.run().catch(() => {});
    throw error;
  }
};
