import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createAuthority } from '#lib/conversion/certificate/certificate.ts';
import { attachControlPlane, type ControlPlaneClient } from '#test/control-plane/client.ts';
import { type Component, startComponent } from '#test/control-plane/component.ts';
import { writeDataFiles } from '#test/control-plane/data.ts';
import { ControlPlaneError } from '#test/control-plane/error.ts';
import type { KubectlResult } from '#test/control-plane/kubectl.ts';
import type { RestartOptions } from '#test/control-plane/launch.ts';
import { isNamespaceReady } from '#test/control-plane/namespace.ts';
import { isNodeReady, waitAlive, waitForApiServer } from '#test/control-plane/ready.ts';
import { makeScratch, removeLeftovers, removeScratch } from '#test/control-plane/scratch.ts';
import {
  adminUser,
  createCredentials,
  harnessUser,
  type StaticUser,
  systemUsers,
  writeKubeconfig,
} from '#test/control-plane/users.ts';
import {
  commandOf,
  configurationFiles,
  INNER_API_SERVER,
  KUBELET_USER,
  NODE_NAME,
  type NodeComponent,
  nodeComponents,
} from './components.ts';
import { writeBaseImages } from './images/base-images.ts';
import { layoutList } from './network/registry.ts';
import { type Forward, forward } from './network/relay.ts';
import { cgroupHierarchies, makeCgroups, removeCgroups } from './place/cgroups.ts';
import { type Namespaces, startNamespaces } from './place/namespaces.ts';
import { whyImpossible } from './place/possible.ts';
import { rebootScript } from './place/setup.ts';
import { provideNodePrograms } from './programs/programs.ts';

/** Options of {@link startRealNode}. */
export interface RealNodeOptions {
  /** Folders of OCI image layouts whose images the registry serves besides its own. @default none */
  readonly layouts?: readonly string[];
}

/** A running node with its control plane. */
export interface RealNode extends ControlPlaneClient, AsyncDisposable {
  /** Runs a command inside: in the network, mounts and processes of the node. */
  readonly run: (command: readonly string[]) => Promise<KubectlResult>;
  /** Makes the registry serve the images of another OCI image layout. */
  readonly addLayout: (folder: string) => Promise<void>;
  /** Opens a port of 127.0.0.1 that leads to an address of a pod or Service. The port closes with the node. */
  readonly forward: (address: string) => Promise<Forward>;
  /**
   * Ends a component and starts it again over the same data.
   * @throws {ControlPlaneError} COMPONENT_DIED, NOT_READY
   */
  readonly restart: (name: NodeComponent, options?: RestartOptions) => Promise<void>;
  /** Kills all processes of the node at once, and starts the components again with another boot id. */
  readonly reboot: () => Promise<void>;
  /** Ends all processes of the node, and removes its cgroups and its data. A second call waits for the first. */
  readonly stop: () => Promise<void>;
}

/** Prefix of data folders and cgroups; it also identifies the leftovers of killed runs. */
const PREFIX = 'cdk8s-reconcile-node';

const USERS: readonly StaticUser[] = [
  ...systemUsers,
  { name: 'kube-proxy', groups: ['system:masters'] },
  { name: KUBELET_USER, groups: ['system:nodes'] },
];

/** Users whose kubeconfig is for programs outside. */
const OUTSIDE: ReadonlySet<string> = new Set([adminUser, harnessUser]);

const DAY_MS = 86_400_000;

/** The certificate that the API server shows to the kubelet, which trusts it alone. */
const writeKubeletClient = async (folder: string): Promise<void> => {
  const now = Date.now();
  const validity = { from: new Date(now - DAY_MS), until: new Date(now + DAY_MS) };
  const { certificate, key } = createAuthority('kube-apiserver-kubelet-client', validity);
  await writeFile(join(folder, 'kubelet-client.crt'), certificate);
  await writeFile(join(folder, 'kubelet-client.key'), key, { mode: 0o600 });
};

/** One attempt to start a node. Components are added as they start, so that a failed attempt can be undone. */
interface Attempt {
  readonly folder: string;
  readonly running: Map<NodeComponent | 'init', Component>;
  readonly forwards: Forward[];
}

const stopNode = async ({ folder, running, forwards }: Attempt): Promise<void> => {
  for (const { close } of forwards) close();
  // The first process takes all others with it.
  await Promise.all([...running.values()].map(({ stop }) => stop('SIGKILL')));
  removeCgroups(folder);
  await removeScratch(folder);
};

const writeFiles = async (folder: string, files: Readonly<Record<string, string>>): Promise<void> => {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
};

/** Writes keys, credentials, configurations and images, and opens the port of the API server. */
const prepare = async (attempt: Attempt, { programs, layouts }: Prepared) => {
  const { folder, forwards } = attempt;
  const credentials = createCredentials(USERS);
  await writeDataFiles(folder, { users: USERS, credentials, auditLevel: 'Metadata', stageFile: undefined, stages: [] });
  await writeKubeletClient(folder);
  await writeFiles(folder, configurationFiles({ folder, programs }));
  const images = join(folder, 'images');
  await writeBaseImages(images, programs);
  await writeFile(layoutList(folder), JSON.stringify([images, ...layouts]));
  const apiServer = await forward(folder, INNER_API_SERVER);
  forwards.push(apiServer);
  const caFile = join(folder, 'apiserver.crt');
  const outside = { url: `https://localhost:${apiServer.port}`, caFile };
  const inside = { url: `https://${INNER_API_SERVER}`, caFile };
  for (const credential of credentials)
    await writeKubeconfig(folder, credential, OUTSIDE.has(credential.user) ? outside : inside);
  const kubectlProgram = programs.kubernetes.kubectl;
  return { ...outside, folder, credentials, kubectlProgram, hasAudit: true, hasControllers: true };
};

interface Prepared {
  readonly programs: Awaited<ReturnType<typeof provideNodePrograms>>;
  readonly layouts: readonly string[];
}

const startWith = async (attempt: Attempt, prepared: Prepared): Promise<RealNode> => {
  const { folder, running, forwards } = attempt;
  const { programs } = prepared;
  const access = await prepare(attempt, prepared);
  const hierarchies = cgroupHierarchies();
  makeCgroups(folder, hierarchies);
  const namespaces = await startNamespaces(folder, { programs, hierarchies });
  running.set('init', namespaces.first);
  const start = (name: NodeComponent): void => {
    const [program, ...args] = namespaces.enter(commandOf(name, { folder, programs }));
    running.set(name, startComponent({ name, program, args, folder, isWrapper: true }));
  };
  const all = (): readonly Component[] => [...running.values()];
  const startAll = async (): Promise<void> => {
    for (const name of nodeComponents) {
      start(name);
      // The later components would end at once without an API server and its certificate.
      if (name === 'kube-apiserver') await waitForApiServer(all(), access);
      if (name === 'containerd') await waitAlive(all(), 'containerd', () => isContainerdReady(namespaces));
    }
  };
  await startAll();
  const client = attachControlPlane(access);
  await nodeIsUp(all(), client);
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= stopNode(attempt));
  return {
    ...client,
    run: (command) => runInside(namespaces, command),
    addLayout: async (layout) => {
      const list = layoutList(folder);
      const served = JSON.parse(await readFile(list, 'utf8')) as readonly string[];
      await writeFile(list, JSON.stringify([...served, layout]));
    },
    forward: async (address) => {
      const opened = await forward(folder, address);
      forwards.push(opened);
      return opened;
    },
    restart: async (name, { signal = 'SIGTERM', whileDown }: RestartOptions = {}) => {
      await running.get(name)?.stop(signal);
      await whileDown?.();
      start(name);
      await waitForApiServer(all(), access);
      running.get(name)?.announceEnd();
    },
    reboot: async () => {
      for (const name of nodeComponents) {
        await running.get(name)?.stop('SIGKILL');
        // Components that wait for others must not take this restart for a failure.
        running.delete(name);
      }
      const { code, stderr } = await runInside(namespaces, ['sh', '-ec', rebootScript(folder)]);
      if (code !== 0) throw new Error(`Cannot reboot the node: ${stderr}`);
      await startAll();
      await nodeIsUp(all(), client);
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
};

const nodeIsUp = async (components: readonly Component[], { request }: ControlPlaneClient): Promise<void> => {
  await waitAlive(components, `node "${NODE_NAME}" to be ready`, () => isNodeReady(request, NODE_NAME));
  await waitAlive(components, 'namespace "default"', () => isNamespaceReady(request, 'default'));
  for (const component of components) component.announceEnd();
};

const isContainerdReady = async (namespaces: Namespaces): Promise<boolean> =>
  (await runInside(namespaces, ['ctr', 'version'])).code === 0;

const runInside = ({ enter }: Namespaces, command: readonly string[]): Promise<KubectlResult> => {
  const [program, ...args] = enter(command);
  return new Promise((resolve) => {
    execFile(program, args, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      resolve({ code: typeof code === 'number' ? code : -1, stdout, stderr });
    });
  });
};

/**
 * Starts one real Kubernetes node with a control plane of its own, in namespaces of its own.
 *
 * Flow: find or build the programs, remove leftovers of killed runs, create cgroups and namespaces, start etcd and the API
 * server, wait for /readyz, start the others, wait for the node and for the first ServiceAccount.
 *
 * Guarantees: no part of the node outlives this process, unless the process is killed with SIGKILL; then the next start cleans
 * up. The machine gets no mount, interface, route, rule, setting or package.
 * @throws {ControlPlaneError} NODE_IMPOSSIBLE on a machine that cannot run it; without programs; when a component ends
 */
export const startRealNode = async ({ layouts = [] }: RealNodeOptions = {}): Promise<RealNode> => {
  const reason = await whyImpossible();
  if (reason !== undefined) throw new ControlPlaneError('NODE_IMPOSSIBLE', `Cannot start a real node: ${reason}`);
  const programs = await provideNodePrograms();
  await removeLeftovers(tmpdir(), PREFIX, removeCgroups);
  const folder = await makeScratch(tmpdir(), PREFIX, removeCgroups);
  const attempt: Attempt = { folder, running: new Map(), forwards: [] };
  try {
    return await startWith(attempt, { programs, layouts });
  } catch (error) {
    await stopNode(attempt);
    throw error;
  }
};
