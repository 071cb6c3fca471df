import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { spawnCommand } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { chooseFreePorts } from '#test/control-plane/port.ts';
import { provideFlux } from './build-flux.ts';

/** The user of Flux in the audit log. */
export const FLUX_USER = { name: 'flux', groups: ['system:masters'] } as const;

/** The namespace of Flux and its objects. */
export const FLUX_NAMESPACE = 'flux-system';

/** Runs a kubectl command that must succeed. */
export const kubectl = async (plane: ControlPlane, args: readonly string[], input?: string): Promise<string> => {
  const { code, stdout, stderr } = await plane.kubectl(args, { ...(input !== undefined && { input }) });
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
  return stdout;
};

/** Flux's controllers. */
export interface FluxProcesses extends AsyncDisposable {
  /** Restarts kustomize-controller with more arguments. */
  readonly restartKustomize: (...args: readonly string[]) => Promise<void>;
}

const USUAL = ['--enable-leader-election=false', '--log-encoding=json'];

const listening = async (): Promise<readonly string[]> => {
  const [metrics = 0, health = 0] = await chooseFreePorts(2);
  return [`--metrics-addr=127.0.0.1:${metrics}`, `--health-addr=127.0.0.1:${health}`];
};

/** Source-controller and kustomize-controller on a control plane. */
export const startFlux = async (plane: ControlPlane, folder: string): Promise<FluxProcesses> => {
  const programs = await provideFlux();
  for (const file of programs.definitions) await kubectl(plane, ['apply', '--server-side', '-f', file]);
  await kubectl(plane, ['wait', '--for=condition=Established', '--timeout=180s', 'crd', '--all']);
  await kubectl(plane, ['create', 'namespace', FLUX_NAMESPACE]);
  const data = join(folder, 'flux');
  await mkdir(data);
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    TMPDIR: folder,
    KUBECONFIG: plane.kubeconfigFor(FLUX_USER.name),
    RUNTIME_NAMESPACE: FLUX_NAMESPACE,
  };
  const [storage = 0] = await chooseFreePorts(1);
  const address = `127.0.0.1:${storage}`;
  const stored = [`--storage-path=${data}`, `--storage-addr=${address}`, `--storage-adv-addr=${address}`];
  const source = spawnCommand([programs.source, ...USUAL, ...stored, ...(await listening())], env);
  const spawnKustomize = async (args: readonly string[]) =>
    spawnCommand([programs.kustomize, ...USUAL, '--requeue-dependency=5s', ...(await listening()), ...args], env);
  let kustomize = await spawnKustomize([]);
  return {
    restartKustomize: async (...args) => {
      await kustomize.stop();
      kustomize = await spawnKustomize(args);
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([source.stop('SIGKILL'), kustomize.stop('SIGKILL')]);
    },
  };
};

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

interface Kustomization {
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly lastAppliedRevision?: string;
    readonly lastAttemptedRevision?: string;
  };
}

/** The condition Ready of a Kustomization, and the commits that were last applied and attempted. */
export type Readiness = Condition & { readonly applied: string; readonly attempted: string };

/** The condition Ready of a Kustomization. */
export const readyOf = async (plane: ControlPlane, name: string): Promise<Readiness | undefined> => {
  const text = await kubectl(plane, ['-n', FLUX_NAMESPACE, 'get', 'kustomization', name, '-o', 'json']);
  const {
    conditions = [],
    lastAppliedRevision = '',
    lastAttemptedRevision = '',
  } = (JSON.parse(text) as Kustomization).status ?? {};
  const ready = conditions.find(({ type }) => type === 'Ready');
  return ready && { ...ready, applied: lastAppliedRevision, attempted: lastAttemptedRevision };
};

/**
 * Whether a Kustomization has failed. A Kustomization that waits for its dependencies has the same status, but not the same
 * reason.
 */
export const hasFailed = (ready: Readiness | undefined): ready is Readiness =>
  ready?.status === 'False' && ready.reason !== 'DependencyNotReady';

/** Whether a Kustomization is ready with a commit. */
export const isReadyAt = async (plane: ControlPlane, name: string, commit: string): Promise<boolean> => {
  const ready = await readyOf(plane, name);
  return ready?.status === 'True' && ready.applied.endsWith(commit);
};

/**
 * Waits until a Kustomization is ready with a commit.
 *
 * @throws {Error} with the Kustomization's message when it fails before: the first try must succeed
 */
export const untilReady = async (plane: ControlPlane, name: string, commit: string): Promise<void> => {
  await waitFor(
    `Kustomization ${name} to be ready with ${commit}`,
    async () => {
      const ready = await readyOf(plane, name);
      if (hasFailed(ready) && ready.attempted.endsWith(commit))
        throw new Error(`Kustomization ${name} failed: ${ready.reason}: ${ready.message}`);
      return ready?.status === 'True' && ready.applied.endsWith(commit);
    },
    { pollMs: 250 },
  );
};

/** Waits until a Kustomization has failed with a commit. @returns its message */
export const untilFailed = async (plane: ControlPlane, name: string, commit: string): Promise<string> => {
  let said = '';
  await waitFor(
    `Kustomization ${name} to fail with ${commit}`,
    async () => {
      const ready = await readyOf(plane, name);
      said = `${ready?.reason}: ${ready?.message}`;
      return hasFailed(ready) && ready.attempted.endsWith(commit);
    },
    { pollMs: 250 },
  );
  return said;
};

/** Deletes a Kustomization and waits until it is gone. */
export const removeKustomization = async (plane: ControlPlane, name: string): Promise<void> => {
  await kubectl(plane, ['-n', FLUX_NAMESPACE, 'delete', 'kustomization', name, '--timeout=120s']);
};
