import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { bundleOperator } from '#apps/bundle.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle, OPERATOR, OPERATOR_USER } from '#test/control-plane/install.ts';
import { type OperatorProcess, spawnOperator, startOperator } from '#test/control-plane/operator-process.ts';
import { type Preload, podEnvironment, preloading, tokenOf } from './as-in-pod.ts';
import { type BareClient, createBareClient } from './bare-client.ts';

/**
 * Where everything is measured: API server, etcd and the controllers, the committed install bundle applied. Without scheduler and
 * kwok, so that pods stay Pending and nobody writes but the driver and whom we measure.
 */
export interface Ground extends AsyncDisposable {
  readonly plane: ControlPlane;
  readonly bare: BareClient;
  readonly adminToken: string;
  /** The operator's user, as the audit log names it, and its token. */
  readonly user: string;
  readonly operatorToken: string;
  /** The processes that work in every run: this one and those of the plane. */
  readonly sharedPids: readonly number[];
  /** Starts the operator of the repository as in a pod of its own, and waits until its caches are filled and it leads. */
  readonly startOperator: (env?: Readonly<Record<string, string>>) => Promise<OperatorProcess>;
  /** Starts it and does not wait. */
  readonly spawnOperator: (env?: Readonly<Record<string, string>>) => OperatorProcess;
  /** Adds what is to be loaded into an operator before anything else to its settings. */
  readonly preload: (name: Preload) => Readonly<Record<string, string>>;
}

/** What makes Node write a CPU profile when the operator ends. */
const profiling = async (folder: string | undefined): Promise<string> => {
  if (folder === undefined) return '';
  const path = resolve(folder);
  await mkdir(path, { recursive: true });
  return ` --cpu-prof --cpu-prof-dir=${path}`;
};

/** Starts a plane and installs the bundle on it. */
export const startGround = async (cpuProfile?: string): Promise<Ground> => {
  const profile = await profiling(cpuProfile);
  const plane = await startControlPlane({ scheduler: false, kwok: false });
  try {
    await installBundle(plane);
    const kubeconfig = await plane.serviceAccountKubeconfig(OPERATOR, OPERATOR);
    const bare = await createBareClient(plane);
    const pod = await podEnvironment(plane);
    // In the plane's folder, so that it goes with it.
    const folder = join(plane.access.folder, 'bundle');
    await bundleOperator(folder);
    const entryPoint = join(folder, 'operator.mjs');
    const nodeOptions = `${pod['NODE_OPTIONS']}${profile}`;
    const env = { ...pod, NODE_OPTIONS: nodeOptions };
    return {
      plane,
      bare,
      adminToken: await tokenOf(plane.kubeconfig),
      user: OPERATOR_USER,
      sharedPids: [process.pid, ...Object.values(plane.pids)],
      operatorToken: await tokenOf(kubeconfig),
      startOperator: (more = {}) => startOperator({ kubeconfig: '', entryPoint, env: { ...env, ...more } }),
      spawnOperator: (more = {}) => spawnOperator({ kubeconfig: '', entryPoint, env: { ...env, ...more } }),
      preload: (name) => ({ NODE_OPTIONS: `${nodeOptions} ${preloading(plane, name)}` }),
      [Symbol.asyncDispose]: async () => {
        await bare[Symbol.asyncDispose]();
        await plane.stop();
      },
    };
  } catch (error) {
    await plane.stop();
    throw error;
  }
};

/** Runs the operator for as long as some work takes, also when that fails. */
export const whileOperatorRuns = async <T>({ startOperator }: Ground, work: () => Promise<T>): Promise<T> => {
  const operator = await startOperator();
  try {
    return await work();
  } finally {
    await operator.stop();
  }
};
