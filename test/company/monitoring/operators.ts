import { setTimeout as sleep } from 'node:timers/promises';
import { App, Chart } from 'cdk8s';
import { kinds } from '#apps/kinds.ts';
import { Operator } from '#constructs/operator/operator.ts';
import type { OperatorProps } from '#constructs/operator/props.ts';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { type OperatorProcess, spawnOperator, startOperator } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { chooseFreePorts } from '#test/control-plane/port.ts';

/** An object of a bundle. */
export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly data?: Readonly<Record<string, string>>;
}

interface PodTemplate {
  readonly spec: {
    readonly containers: readonly { readonly env: readonly { readonly name: string; readonly value?: string }[] }[];
  };
}

/** The bundle of an operator of all kinds, in a namespace of its name. */
export const bundleOf = (name: string, props: Partial<OperatorProps>): readonly Manifest[] => {
  const chart = new Chart(new App(), name);
  // oxlint-disable-next-line no-new -- a construct belongs to its chart
  new Operator(chart, 'operator', { kinds, image: 'operator:1', name, ...props });
  return chart.toJson() as Manifest[];
};

/** The settings that the Deployment of a bundle gives its processes. */
const settingsOf = (bundle: readonly Manifest[]): Readonly<Record<string, string>> => {
  const deployment = bundle.find(({ kind }) => kind === 'Deployment');
  const template = deployment?.spec?.['template'] as PodTemplate | undefined;
  const env = template?.spec.containers[0]?.env ?? [];
  return Object.fromEntries(env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])));
};

const podNames = async (plane: ControlPlane, namespace: string): Promise<readonly string[]> => {
  const { body } = await plane.request<{ readonly items: readonly Manifest[] }>(
    'GET',
    `/api/v1/namespaces/${namespace}/pods`,
  );
  return body.items.map(({ metadata }) => metadata.name).toSorted();
};

/** Processes in place of the pods of a Deployment. */
export interface Replicas extends AsyncDisposable {
  /** Port of each pod's metrics, by the pod's name. */
  readonly ports: ReadonlyMap<string, number>;
}

const placesOf = async (plane: ControlPlane, bundle: readonly Manifest[], namespace: string) => {
  await waitFor(`two pods in ${namespace}`, async () => (await podNames(plane, namespace)).length === 2);
  const names = await podNames(plane, namespace);
  const free = await chooseFreePorts(names.length);
  const ports = new Map(names.map((name, index) => [name, free[index] ?? 0]));
  const kubeconfig = await plane.serviceAccountKubeconfig(namespace, namespace);
  const optionsOf = (pod: string) => ({
    kubeconfig,
    env: {
      ...settingsOf(bundle),
      POD_NAME: pod,
      POD_NAMESPACE: namespace,
      HEALTH_PORT: '0',
      METRICS_PORT: String(ports.get(pod)),
    },
  });
  return { names, ports, optionsOf };
};

/** Starts the replicas of a bundle, and waits until the first one leads. */
export const startReplicas = async (
  plane: ControlPlane,
  bundle: readonly Manifest[],
  namespace: string,
): Promise<Replicas> => {
  const { names, ports, optionsOf } = await placesOf(plane, bundle, namespace);
  const running: OperatorProcess[] = [];
  for (const name of names) {
    const start = running.length === 0 ? startOperator : spawnOperator;
    running.push(await start(optionsOf(name)));
  }
  return {
    ports,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(running.map((process) => process.stop('SIGKILL')));
    },
  };
};

const UP_MS = 90_000;
const DOWN_MS = 20_000;

/** Runs one replica for a minute and a half, stops it, and repeats. */
export const startFlapping = async (
  plane: ControlPlane,
  bundle: readonly Manifest[],
  namespace: string,
): Promise<Replicas> => {
  const { names, ports, optionsOf } = await placesOf(plane, bundle, namespace);
  const ending = new AbortController();
  const pause = (ms: number) => sleep(ms, undefined, { signal: ending.signal }).catch(() => undefined);
  const flap = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      const process = spawnOperator(optionsOf(names[0] ?? ''));
      await Promise.race([pause(UP_MS), process.exited]);
      await process.stop('SIGKILL');
      await pause(DOWN_MS);
    }
  };
  const flapping = flap();
  return {
    ports,
    [Symbol.asyncDispose]: async () => {
      ending.abort();
      await flapping;
    },
  };
};
