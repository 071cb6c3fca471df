import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { quietPort } from '#test/cluster/conversion-service.ts';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { type LogLine, type OperatorProcess, spawnOperator } from '#test/control-plane/operator-process.ts';

interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
  };
  readonly spec: {
    readonly serviceAccountName: string;
    readonly containers: readonly {
      readonly image: string;
      readonly env?: readonly { readonly name: string; readonly value?: string }[];
    }[];
  };
  readonly status: { readonly phase?: string };
}

interface Running {
  readonly conversionPort: number;
  readonly process: OperatorProcess;
}

/** Processes in place of the containers of an operator's pods, and a port in place of the Service of its webhook. */
export interface OperatorPods extends AsyncDisposable {
  /** Port of the conversion webhook. */
  readonly port: number;
  /** Makes images available: from now on each running pod has a process, which ends with the pod. */
  readonly pull: () => void;
  /** The image of each running process. */
  readonly images: () => readonly string[];
}

/** The pods, and the contents of their images. */
export interface OperatorPodsOptions {
  readonly namespace: string;
  /** The program of all images, which reads its tag from RELEASE. */
  readonly entryPoint: string;
}

/** Passes a connection on to the newest process that accepts it. */
const pass = (client: Socket, [next, ...others]: readonly Running[]): void => {
  if (next === undefined) {
    client.destroy();
    return;
  }
  const upstream = connect(next.conversionPort, '127.0.0.1');
  upstream.once('connect', () => {
    upstream.removeAllListeners('error').on('error', () => client.destroy());
    client.on('error', () => upstream.destroy());
    client.pipe(upstream).pipe(client);
  });
  upstream.once('error', () => pass(client, others));
};

const imageOf = ({ spec }: Pod): string => spec.containers[0]?.image ?? '';

interface Started {
  readonly entryPoint: string;
  readonly conversionPort: number;
}

const start = async (plane: ControlPlane, pod: Pod, { entryPoint, conversionPort }: Started): Promise<Running> => {
  const { metadata, spec } = pod;
  const own = (spec.containers[0]?.env ?? []).flatMap(({ name, value }) =>
    value === undefined ? [] : [[name, value]],
  );
  const env = {
    ...(Object.fromEntries(own) as Record<string, string>),
    POD_NAME: metadata.name,
    POD_NAMESPACE: metadata.namespace,
    HEALTH_PORT: '0',
    METRICS_PORT: '0',
    CONVERSION_PORT: String(conversionPort),
    RELEASE: imageOf(pod).split(':').at(-1) ?? '',
  };
  const kubeconfig = await plane.serviceAccountKubeconfig(metadata.namespace, spec.serviceAccountName);
  return { conversionPort, process: spawnOperator({ kubeconfig, env, entryPoint }) };
};

const POLL_MS = 250;

const isStandingBy = ({ msg }: LogLine): boolean => msg.startsWith('caches filled');

/** Runs the processes of the operator's pods, in place of a kubelet and a pod network: with kwok no process runs. */
export const runOperatorPods = async (
  plane: ControlPlane,
  { namespace, entryPoint }: OperatorPodsOptions,
): Promise<OperatorPods> => {
  const running = new Map<string, Running & { readonly image: string }>();
  const port = await quietPort();
  const clients = new Set<Socket>();
  const server = createServer((client) => {
    clients.add(client);
    client.once('close', () => clients.delete(client));
    pass(client, [...running.values()].toReversed());
  }).listen(port);
  let lastPort = port;
  let isPulled = false;
  const ending = new AbortController();

  const look = async (): Promise<void> => {
    const { body } = await plane.request<{ items?: Pod[] }>('GET', `/api/v1/namespaces/${namespace}/pods`);
    const alive = (body.items ?? []).filter(
      ({ metadata, status }) => metadata.deletionTimestamp === undefined && status.phase === 'Running',
    );
    const uids = new Set(alive.map(({ metadata }) => metadata.uid));
    // A Deployment deletes pods when others are ready; kwok reports pods as ready before their process is.
    const isReplaced = alive.every(({ metadata }) => running.get(metadata.uid)?.process.log.some(isStandingBy));
    for (const [uid, { process }] of running)
      if (!uids.has(uid) && isReplaced) {
        running.delete(uid);
        void process.stop();
      }
    for (const pod of isPulled ? alive : []) {
      if (running.has(pod.metadata.uid)) continue;
      // A process does not listen right after its start: each has a port of its own.
      lastPort = await quietPort(lastPort + 1);
      const started = await start(plane, pod, { entryPoint, conversionPort: lastPort });
      running.set(pod.metadata.uid, { ...started, image: imageOf(pod) });
      // The next round starts the process again, as a kubelet restarts a container.
      void started.process.exited.then(() => running.delete(pod.metadata.uid));
    }
  };
  const loop = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      // The ServiceAccount may be deleted already, or not exist yet.
      await look().catch(() => undefined);
      await sleep(POLL_MS);
    }
  };
  const looping = loop();
  return {
    port,
    pull: () => (isPulled = true),
    images: () => [...running.values()].map(({ image }) => image),
    [Symbol.asyncDispose]: async () => {
      ending.abort();
      await looping;
      await Promise.all([...running.values()].map(({ process }) => process.stop()));
      for (const client of clients) client.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
};
