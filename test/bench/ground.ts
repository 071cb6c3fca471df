import { mkdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle, OPERATOR, OPERATOR_USER } from '#test/control-plane/install.ts';
import { type OperatorProcess, spawnOperator, startOperator } from '#test/control-plane/operator-process.ts';
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
  /** Starts the operator of the repository under its own token and waits until its caches are filled. */
  readonly startOperator: () => Promise<OperatorProcess>;
  /** Starts it and does not wait. */
  readonly spawnOperator: () => OperatorProcess;
}

const tokenOf = async (kubeconfig: string): Promise<string> => {
  const config = JSON.parse(await readFile(kubeconfig, 'utf8')) as { users: { user: { token: string } }[] };
  const token = config.users[0]?.user.token;
  if (token === undefined) throw new TypeError(`Cannot find a token in ${kubeconfig}`);
  return token;
};

/** What makes Node write a CPU profile when the operator ends. */
const profiling = async (folder: string | undefined): Promise<Record<string, string>> => {
  if (folder === undefined) return {};
  const path = resolve(folder);
  await mkdir(path, { recursive: true });
  return { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${path}` };
};

/** Starts a plane and installs the bundle on it. */
export const startGround = async (cpuProfile?: string): Promise<Ground> => {
  const env = await profiling(cpuProfile);
  const plane = await startControlPlane({ scheduler: false, kwok: false });
  try {
    await installBundle(plane);
    const kubeconfig = await plane.serviceAccountKubeconfig(OPERATOR, OPERATOR);
    const bare = await createBareClient(plane);
    return {
      plane,
      bare,
      adminToken: await tokenOf(plane.kubeconfig),
      user: OPERATOR_USER,
      sharedPids: [process.pid, ...Object.values(plane.pids)],
      operatorToken: await tokenOf(kubeconfig),
      startOperator: () => startOperator({ kubeconfig, env }),
      spawnOperator: () => spawnOperator({ kubeconfig, env }),
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
