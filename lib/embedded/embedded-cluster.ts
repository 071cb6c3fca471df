import { randomBytes } from 'node:crypto';
import { ConfigurationError } from '#lib/errors.ts';
import { Access } from '#lib/sim/access/access.ts';
import { createDefaultRoles } from '#lib/sim/access/default-roles.ts';
import { type Actors, createActors } from '#lib/sim/actors/actors.ts';
import type { PodBehavior } from '#lib/sim/actors/pod-behavior.ts';
import type { Pod } from '#lib/sim/actors/workload.ts';
import { embeddedKinds as kinds } from '#lib/sim/builtin/embedded-kinds.ts';
import { definitionKind } from '#lib/sim/crd/definition-kind.ts';
import { HttpFace, type RequestRecord } from '#lib/sim/http/http-face.ts';
import { objectIn, textIn } from '#lib/sim/machinery/members.ts';
import type { ApiServer } from '#lib/sim/machinery/server.ts';
import { createApiServer } from '#lib/sim/server/server.ts';
import { ActorLoop } from './actor-loop.ts';
import { createCertificates } from './certificates.ts';
import { eventExpiry } from './event-expiry.ts';
import { Files } from './files.ts';
import { type Listener, listen } from './listener.ts';
import { namespaceContents } from './namespace-contents.ts';

/** Options of {@link startEmbeddedCluster}. */
export interface EmbeddedClusterOptions {
  /** @default 0: any that is free */
  readonly port?: number;
  /** The address that it listens at; others can only reach it when it is one of the machine's own. @default '127.0.0.1' */
  readonly host?: string;
  /** Names of the nodes. @default ['node-1'] */
  readonly nodes?: readonly string[];
  /** How the containers of a pod behave; annotations such as `kubelet.sim/ready-after-ms` count more. @default ready at once */
  readonly behavior?: (pod: Pod) => Partial<PodBehavior>;
  /** Called with faults of virtual controllers, after which the others go on. @default a warning of the process */
  readonly onError?: (error: unknown) => void;
}

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

const RECORDED_REQUESTS = 10_000;
const DAY_S = 86_400;
const NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

const createNodes = (server: ApiServer, nodes: readonly string[]): void => {
  const resource = { group: '', version: 'v1', plural: 'nodes' };
  for (const name of nodes) {
    const labels = { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' };
    const body = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } };
    const { code, body: answer } = server.handle({ verb: 'create', resource, body });
    if (code !== 201) throw new ConfigurationError(`Cannot create the node "${name}": ${String(answer['message'])}`);
  }
};

const warn = (error: unknown): void => {
  process.emitWarning(error instanceof Error ? error : String(error), 'EmbeddedClusterWarning');
};

/** The last so many of what is added. */
class Tail<T> {
  readonly #limit: number;
  #items: T[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(item: T): void {
    this.#items.push(item);
    if (this.#items.length >= 2 * this.#limit) this.#items = this.#items.slice(-this.#limit);
  }

  get items(): readonly T[] {
    return this.#items.slice(-this.#limit);
  }
}

interface Parts {
  readonly server: ApiServer;
  readonly actors: Actors;
  readonly loop: ActorLoop;
  readonly face: HttpFace;
  readonly access: Access;
  readonly records: Tail<RequestRecord>;
}

const tokenOf = ({ access }: Parts, namespace: string, name: string): string => {
  const admin = access.authenticate(undefined);
  const resource = { group: '', version: 'v1', plural: 'serviceaccounts' };
  const body = { spec: { expirationSeconds: DAY_S } };
  try {
    const answer = access.answer(admin, { verb: 'create', resource, namespace, name, subresource: 'token', body });
    return textIn(objectIn(answer?.body, 'status'), 'token');
  } catch (cause) {
    throw new ConfigurationError(`Cannot make a token of the service account ${namespace}/${name}: ${String(cause)}`, {
      cause,
    });
  }
};

const assemble = (
  options: EmbeddedClusterOptions,
  given: { readonly ca: string; readonly adminToken: string; readonly address: () => string },
): Parts => {
  const { nodes = ['node-1'], behavior, onError = warn } = options;
  const now = Date.now;
  const server = createApiServer({ kinds: [...kinds, definitionKind], now, namespaces: NAMESPACES });
  createDefaultRoles(server);
  createNodes(server, nodes);
  const access = new Access({ server, now, adminToken: given.adminToken, secret: randomBytes(32) });
  const actors = createActors({
    server,
    now,
    kinds,
    nodes: nodes.map((name) => ({ name, labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' } })),
    ...(behavior && { behavior }),
  });
  const all = [...actors.actors, namespaceContents(server, given.ca), eventExpiry(server, now)];
  const records = new Tail<RequestRecord>(RECORDED_REQUESTS);
  const face = new HttpFace({
    server,
    kinds: [...kinds, definitionKind],
    access,
    now,
    address: given.address,
    onRequest: (record) => records.add(record),
    onWrite: () => loop.wake(),
  });
  const loop = new ActorLoop({
    actors: all,
    now,
    version: () => server.resourceVersion,
    onTurn: () => face.endOrphans(),
    onError,
  });
  return { server, actors, loop, face, access, records };
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
 * Caveats: no container runs anywhere; what is not served is refused by name (501): docs/embedded.md. All is forgotten when it closes.
 *
 * @throws {ConfigurationError} when the port is taken, or the address is not one of this machine
 * @example
 * await using cluster = await startEmbeddedCluster();
 * console.log(`KUBECONFIG=${cluster.kubeconfig} kubectl get namespaces`);
 */
export const startEmbeddedCluster = async (options: EmbeddedClusterOptions = {}): Promise<EmbeddedCluster> => {
  const { port = 0, host = '127.0.0.1' } = options;
  const certificates = createCertificates(host, new Date());
  const adminToken = randomBytes(24).toString('base64url');
  const { ca } = certificates;
  let listener: Listener | undefined;
  const parts = assemble(options, { ca, adminToken, address: () => listener?.address ?? '' });
  listener = await listen(parts.face, { port, host, certificates });
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
