import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { provideArtifacts } from './binaries.ts';
import type { ControlPlaneClient } from './client.ts';
import type { ComponentName } from './command.ts';
import { type AuditLevel, dataParent } from './data.ts';
import { ControlPlaneError } from './error.ts';
import { compactHistory, saveSnapshot } from './etcd.ts';
import {
  type Launch,
  type Launched,
  type LaunchPlan,
  launchPlane,
  type RestartOptions,
  restartComponent,
  stopPlane,
} from './launch.ts';
import type { ArtifactName } from './recipe.ts';
import { makeScratch, removeLeftovers } from './scratch.ts';
import { type RestoreOptions, restoreStorage } from './storage.ts';
import type { StaticUser } from './users.ts';

/** Options of {@link startControlPlane}. */
export interface ControlPlaneOptions {
  /** Run kube-controller-manager: Deployments, garbage collection, namespaces, ServiceAccounts, … @default true */
  readonly controllers?: boolean;
  /** Run kube-scheduler. @default true */
  readonly scheduler?: boolean;
  /** Run kwok and create its node, so that pods become ready. @default true */
  readonly kwok?: boolean;
  /** @default 'Metadata' */
  readonly audit?: AuditLevel | false;
  /** More users with a static token. @default none */
  readonly users?: readonly StaticUser[];
  /** More kwok stages, as objects; a higher weight than kwok's own wins, so pods can fail or be slow. @default none */
  readonly stages?: readonly object[];
  /** Keep data on disk and sync it, as in production. @default false: in memory */
  readonly durable?: boolean;
  /** Admission plugins that the API server does not run by default. @default none */
  readonly admissionPlugins?: readonly string[];
}

/** A running control plane. */
export interface ControlPlane extends ControlPlaneClient, AsyncDisposable {
  /** Process ids of the running components, by name. */
  readonly pids: Readonly<Partial<Record<ComponentName, number>>>;
  /**
   * Ends a component and starts it again over the same data; resolves when the API server is ready.
   * @throws {ControlPlaneError} NOT_STARTED, COMPONENT_DIED, NOT_READY
   */
  readonly restart: (name: ComponentName, options?: RestartOptions) => Promise<void>;
  /**
   * Compacts all history in etcd. Requests for an older resource version are answered 410 from now on, unless the API
   * server still has it in memory; a restart clears that memory.
   */
  readonly compactHistory: () => Promise<void>;
  /** Saves the contents of etcd. @returns the file, which is removed with the data */
  readonly saveSnapshot: () => Promise<string>;
  /** Restores storage from a snapshot; the components restart, and clients of the plane stay. */
  readonly restoreStorage: (snapshot: string, options?: RestoreOptions) => Promise<void>;
  /** Stops everything and removes the data; a second call waits for the first. */
  readonly stop: () => Promise<void>;
}

/** Prefix of all data folders; it also identifies the leftovers of killed runs. */
const dataFolderPrefix = 'cdk8s-reconcile-plane';

const maxAttempts = 5;

/**
 * Starts a real Kubernetes control plane on free ports of 127.0.0.1.
 *
 * Flow: find or build the programs, remove leftovers of killed runs, start etcd and the API server, wait for /readyz, start the
 * others, wait for the node and for the first ServiceAccount.
 *
 * Guarantees: no part of the plane outlives this process, unless the process is killed with SIGKILL; then the next start cleans
 * up.
 * @throws {ControlPlaneError} when programs are not available, a component ends (with the last lines of its log), or the plane
 *   is not ready within a minute
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const plan = await toPlan(options);
  const parent = dataParent(plan.isDurable);
  await removeLeftovers(parent, dataFolderPrefix);
  for (let attempt = 1; ; attempt++) {
    const folder = await makeScratch(parent, dataFolderPrefix);
    const launch: Launch = { plan, folder, running: [] };
    try {
      return withLifetime(await launchPlane(launch), launch);
    } catch (error) {
      await stopPlane(launch);
      const isPortTaken = error instanceof ControlPlaneError && error.code === 'PORT_TAKEN';
      if (!isPortTaken || attempt === maxAttempts) throw error;
    }
  }
}

async function toPlan(options: ControlPlaneOptions): Promise<LaunchPlan> {
  const { admissionPlugins = [], audit = 'Metadata', durable = false, stages = [], users = [] } = options;
  const components = toComponents(options);
  const artifacts = await provideArtifacts(toArtifacts(components));
  return {
    components,
    artifacts,
    users,
    stages,
    auditLevel: audit || undefined,
    isDurable: durable,
    admissionPlugins,
  };
}

function toComponents({
  controllers = true,
  scheduler = true,
  kwok = true,
}: ControlPlaneOptions): readonly ComponentName[] {
  return [
    'etcd',
    'kube-apiserver',
    ...(controllers ? (['kube-controller-manager'] as const) : []),
    ...(scheduler ? (['kube-scheduler'] as const) : []),
    ...(kwok ? (['kwok'] as const) : []),
  ];
}

function toArtifacts(components: readonly ComponentName[]): readonly ArtifactName[] {
  return [...components, 'kubectl', ...(components.includes('kwok') ? (['kwok-stages.yaml'] as const) : [])];
}

function withLifetime(launched: Launched, launch: Launch): ControlPlane {
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= stopPlane(launch));
  return {
    ...launched.client,
    get pids() {
      return Object.fromEntries(launch.running.map(({ name, pid }) => [name, pid]));
    },
    restart: (name, options = {}) => restartComponent(launch, launched, { name, ...options }),
    compactHistory: () => compactHistory(launched.context.etcdPort),
    saveSnapshot: async () => {
      const file = join(launch.folder, `snapshot-${randomUUID()}.db`);
      await saveSnapshot(launched.context.etcdPort, file);
      return file;
    },
    restoreStorage: (snapshot, options) => restoreStorage(launch, launched, { ...options, snapshot }),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
