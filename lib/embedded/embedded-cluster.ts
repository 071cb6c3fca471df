import type { RequestRecord } from '#lib/apiserver/http/http-face.ts';
import { assemble, tokenOf } from './cluster-parts.ts';
import { Endings } from './endings.ts';
import { Files } from './files.ts';
import { identityFor } from './identity.ts';
import { openKeptFile } from './kept-file.ts';
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
  /**
   * Ends watches, closes connections and the port, removes the files; takes a second at most. A second call waits for the first.
   * @throws {ConfigurationError} when the data file cannot be written; all else is done then
   */
  close(): Promise<void>;
}

/** Whether only this machine can reach an address. */
const isLocal = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);

const warnOfOthers = (host: string): void =>
  process.emitWarning(
    `The embedded cluster listens at ${host}, where others may reach it: tokens are all that keeps them out; use 127.0.0.1 unless they are meant to`,
    'EmbeddedClusterWarning',
  );

const begin = async (options: EmbeddedClusterOptions, endings: Endings): Promise<EmbeddedCluster> => {
  const { port = 0, host = '127.0.0.1', dataFile } = options;
  const kept = dataFile === undefined ? undefined : await openKeptFile(dataFile, endings);
  const identity = identityFor(host, kept?.data?.identity);
  const { ca, adminToken } = identity;
  let listener: Listener | undefined;
  const parts = assemble(options, { identity, kept, address: () => listener?.address ?? '' });
  // What was never there for anybody is not kept.
  let isReady = false;
  endings.add(() => parts.dataFile?.close({ isKept: isReady }));
  const opened = await listen(parts.face, { port, host, certificates: identity });
  listener = opened;
  endings.add(() => opened.close());
  if (!isLocal(host)) warnOfOthers(host);
  endings.add(() => {
    parts.loop.close();
    parts.face.endWatches();
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
  const endings = new Endings();
  try {
    return await begin(options, endings);
  } catch (error) {
    // What went wrong at first is what has to be told.
    await endings.run().catch(() => {});
    throw error;
  }
};
