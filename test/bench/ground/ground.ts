import { mkdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { bundleOperator } from '#apps/bundle.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle, OPERATOR, OPERATOR_USER } from '#test/control-plane/install.ts';
import { type OperatorProcess, spawnOperator, startOperator } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { refused } from '#test/control-plane/request.ts';
import { type BareClient, createBareClient } from '../floor/bare-client.ts';
import type { BareSettings } from '../floor/bare-operator.ts';
import { bareOperators, type Contender, compileBareOperator } from '../floor/bare-process.ts';
import { makeTemplates } from '../floor/make-templates.ts';
import type { Templates } from '../floor/templates.ts';
import { type Preload, podEnvironment, preloading, tokenOf } from './as-in-pod.ts';

/**
 * The environment of all measurements: API server, etcd and the controllers, with the committed install bundle applied.
 * It has no scheduler and no kwok: pods stay Pending, and only the driver and the measured operator write.
 */
export interface Ground extends AsyncDisposable {
  readonly plane: ControlPlane;
  readonly bare: BareClient;
  /** The bodies that the operator sends. */
  readonly templates: Templates;
  /** The folder with the files of the operator's bundle. */
  readonly bundle: string;
  /** The operator without cache, plan and function. */
  readonly bareOperator: Contender;
  readonly adminToken: string;
  /** The operator's user, as the audit log names it, and its token. */
  readonly user: string;
  readonly operatorToken: string;
  /** The processes that every run shares: this one and those of the control plane. */
  readonly sharedPids: readonly number[];
  /** Starts the operator of the repository as in a pod, and waits until its caches are filled and it leads. */
  readonly startOperator: (env?: Readonly<Record<string, string>>) => Promise<OperatorProcess>;
  /** Starts the operator without waiting. */
  readonly spawnOperator: (env?: Readonly<Record<string, string>>) => OperatorProcess;
  /** Returns settings with a module that Node preloads into the operator. */
  readonly preload: (name: Preload) => Readonly<Record<string, string>>;
}

/** The collections that the operator of the bundle watches. */
const WATCHED = [
  '/apis/app.example.com/v1alpha1/podsets',
  '/apis/app.example.com/v1alpha1/appservices',
  '/apis/deploy.example.com/v1alpha1/canaryrollouts',
  '/apis/deploy.example.com/v1alpha1/deployers',
  '/apis/immortalcontainer.flugel.it/v1alpha1/immortalcontainers',
  '/apis/apps/v1/controllerrevisions',
  '/apis/apps/v1/deployments',
  '/api/v1/nodes',
  '/api/v1/pods',
  '/api/v1/resourcequotas',
];

/** The default of the operator. */
const RENEW_EVERY_MS = 2000;

/** Creates the Lease that the bare operator renews. @returns its path */
const createBareLease = async (plane: ControlPlane): Promise<string> => {
  const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
  const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'bare-operator' } };
  const response = await plane.request('POST', leases, body);
  if (response.status !== 201) throw refused('create the Lease of the bare operator', response);
  return `${leases}/bare-operator`;
};

/** Compiles the bare operator into the plane's folder, and waits until it can open its watches. */
const prepareBareOperator = async (
  plane: ControlPlane,
  operator: Pick<BareSettings, 'token' | 'templates' | 'lease'>,
): Promise<Contender> => {
  const { url, access } = plane;
  const isServed = async (path: string): Promise<boolean> =>
    (await plane.request('GET', `${path}?limit=1`)).status === 200;
  // The API server refuses watches of a kind while it prepares its storage; the bare operator does not try again.
  for (const path of WATCHED) await waitFor(path, () => isServed(path));
  const file = join(access.folder, 'bare-operator.mjs');
  await compileBareOperator(file);
  return bareOperators(file, { ...operator, url, ca: await readFile(access.caFile, 'utf8'), watched: WATCHED });
};

/** Returns the option that makes Node write a CPU profile when the operator ends. */
const profiling = async (folder: string | undefined): Promise<string> => {
  if (folder === undefined) return '';
  const path = resolve(folder);
  await mkdir(path, { recursive: true });
  return ` --cpu-prof --cpu-prof-dir=${path}`;
};

/** Starts a control plane and installs the bundle on it. */
export const startGround = async (cpuProfile?: string): Promise<Ground> => {
  const profile = await profiling(cpuProfile);
  const plane = await startControlPlane({ scheduler: false, kwok: false });
  try {
    await installBundle(plane);
    const kubeconfig = await plane.serviceAccountKubeconfig(OPERATOR, OPERATOR);
    const operatorToken = await tokenOf(kubeconfig);
    const templates = makeTemplates();
    const adminToken = await tokenOf(plane.kubeconfig);
    const lease = { path: await createBareLease(plane), token: adminToken, everyMs: RENEW_EVERY_MS };
    const bareOperator = await prepareBareOperator(plane, { token: operatorToken, templates, lease });
    const bare = await createBareClient(plane);
    const pod = await podEnvironment(plane);
    // The bundle is in the plane's folder, and is deleted with it.
    const bundle = join(plane.access.folder, 'bundle');
    await bundleOperator(bundle);
    const entryPoint = join(bundle, 'operator.mjs');
    const nodeOptions = `${pod['NODE_OPTIONS']}${profile}`;
    const env = { ...pod, NODE_OPTIONS: nodeOptions };
    return {
      plane,
      bare,
      templates,
      bareOperator,
      bundle,
      adminToken,
      user: OPERATOR_USER,
      sharedPids: [process.pid, ...Object.values(plane.pids)],
      operatorToken,
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

/** Runs the operator for the duration of some work, and stops the operator also when the work fails. */
export const whileOperatorRuns = async <T>({ startOperator }: Ground, work: () => Promise<T>): Promise<T> => {
  const operator = await startOperator();
  try {
    return await work();
  } finally {
    await operator.stop();
  }
};
