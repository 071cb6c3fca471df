import { connect, createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { quietPort } from '#test/cluster/conversion-service.ts';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { OPERATOR } from '#test/control-plane/install.ts';
import { type OperatorProcess, spawnOperator, works } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import type { ReleaseName } from './kinds.ts';

interface Replica {
  readonly port: number;
  readonly process: OperatorProcess;
}

/** Processes in place of the operator's pods, and a port in place of the Service of its webhook. */
export interface Replicas extends AsyncDisposable {
  /** Port of the conversion webhook. */
  readonly port: number;
  /** Starts a release and ends the previous one when the new one is ready, as a Deployment rolls. */
  readonly roll: (release: ReleaseName) => Promise<void>;
  /** Ends the running replica. */
  readonly stop: () => Promise<void>;
}

const entryPoint = fileURLToPath(new URL('operator.ts', import.meta.url));
const STANDS_BY = 'caches filled, running for leader';

/** Passes connections on to the newest replica that accepts them. */
const pass = (client: Socket, replicas: readonly Replica[]): void => {
  const [next, ...others] = replicas.toReversed();
  if (next === undefined) {
    client.destroy();
    return;
  }
  const upstream = connect(next.port, '127.0.0.1');
  upstream.once('connect', () => {
    upstream.removeAllListeners('error').on('error', () => client.destroy());
    client.on('error', () => upstream.destroy());
    client.pipe(upstream).pipe(client);
  });
  upstream.once('error', () => pass(client, others.toReversed()));
};

const spawnReplica = async (plane: ControlPlane, release: ReleaseName): Promise<Replica> => {
  const port = await quietPort();
  const env = {
    RELEASE: release,
    POD_NAMESPACE: OPERATOR,
    LEASE_NAME: OPERATOR,
    CONVERSION_SERVICE: `${OPERATOR}-conversion`,
    CONVERSION_PORT: String(port),
  };
  const kubeconfig = await plane.serviceAccountKubeconfig(OPERATOR, OPERATOR);
  return { port, process: spawnOperator({ kubeconfig, env, entryPoint }) };
};

/** Runs processes in place of pods and Service of an author's operator. */
export const serveReplicas = async (plane: ControlPlane): Promise<Replicas> => {
  const replicas: Replica[] = [];
  const port = await quietPort();
  const clients = new Set<Socket>();
  const server = createServer((client) => {
    clients.add(client.on('close', () => clients.delete(client)));
    pass(client, replicas);
  }).listen(port);
  const stop = async (): Promise<void> => {
    await Promise.all(replicas.splice(0).map(({ process: each }) => each.stop()));
  };
  return {
    port,
    stop,
    roll: async (release) => {
      const next = await spawnReplica(plane, release);
      replicas.push(next);
      const { exited, log } = next.process;
      let hasEnded = false;
      void exited.then(() => (hasEnded = true));
      await waitFor(
        `release ${release} to stand by`,
        async () => hasEnded || log.some(({ msg }) => msg === STANDS_BY || msg.startsWith('caches filled, loop')),
      );
      const [last] = replicas.length > 1 ? replicas.splice(0, 1) : [];
      await last?.process.stop();
      await works(next.process);
    },
    [Symbol.asyncDispose]: async () => {
      await stop();
      for (const client of clients) client.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
};
