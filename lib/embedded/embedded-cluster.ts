import type { RequestRecord } from '#lib/apiserver/http/http-api.ts';
import { Endings } from '#lib/process/endings.ts';
import { assemble, tokenOf } from './cluster-parts.ts';
import { identityFor } from './data/identity.ts';
import { openKeptFile } from './data/kept-file.ts';
import { Files } from './files.ts';
import { type Listener, listen } from './listener.ts';
import type { EmbeddedClusterOptions } from './options.ts';

/** A cluster in this process, behind HTTPS. */
export interface EmbeddedCluster extends AsyncDisposable {
  /** The base URL, such as `https://127.0.0.1:40123`. */
  readonly url: string;
  /** The certificate authority, in PEM. */
  readonly ca: string;
  /** The administrator's token, which permits everything. */
  readonly adminToken: string;
  /** A kubeconfig file with the administrator's credentials, readable only by this user; removed by `close`. */
  readonly kubeconfig: string;
  /**
   * A token of a service account, valid for a day.
   * @throws {ConfigurationError} when there is no such service account
   */
  tokenOf(namespace: string, serviceAccount: string): string;
  /** Writes a kubeconfig file with such a token. */
  kubeconfigOf(namespace: string, serviceAccount: string): Promise<string>;
  /** The last 10,000 answered requests, oldest first. */
  requests(): readonly RequestRecord[];
  /**
   * Ends watches, closes connections and the port, removes the files; takes at most a second. A second call waits for the first.
   * @throws {ConfigurationError} when the data file cannot be written; the rest of the cleanup is done nevertheless
   */
  close(): Promise<void>;
}

/** Whether an address can only be reached from this machine. */
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
  // A cluster that never started successfully is not saved.
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
 * Starts a Kubernetes cluster in this process: the virtual cluster of `lib/sim`, on the real clock and behind real HTTPS, so that kubectl
 * and operators work with it as with any other cluster. Needs no Go, no Docker and no network.
 *
 * Flow: certificate → API server with RBAC → controllers, scheduler and kubelets in real time → port → kubeconfig.
 *
 * Guarantees: the cluster answers when the promise resolves; after `close`, no port, timer or file remains. An idle cluster runs
 * no code.
 *
 * Caveats: no container runs; unsupported resources are refused by name (501): docs/embedded.md. Without a data file, closing discards everything.
 *
 * @throws {ConfigurationError} when the port is taken, the address does not belong to this machine, or the data file is damaged or in use
 * @example
 * await using cluster = await startEmbeddedCluster();
 * console.log(`KUBECONFIG=${cluster.kubeconfig} kubectl get namespaces`);
 */
export const startEmbeddedCluster = async (options: EmbeddedClusterOptions = {}): Promise<EmbeddedCluster> => {
  const endings = new Endings();
  try {
    return await begin(options, endings);
  } catch (error) {
    // The original error must be reported, not one of the cleanup.
    await endings.run().catch(() => {});
    throw error;
  }
};
