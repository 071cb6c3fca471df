import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HttpServer, type Received, startHttpServer } from '#test/unit/kube/http-server.ts';

/** A scripted API server, and the environment of an operator without leader election for it. */
export interface KubeServer {
  readonly server: HttpServer;
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const named = (content: object) => [{ name: 'here', ...content }];

const kubeconfigFor = (url: string): object => {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'here',
    contexts: named({ context: { cluster: 'here', user: 'here' } }),
    clusters: named({ cluster: { server: url } }),
    users: named({ user: { token: 'secret' } }),
  };
};

/** Starts a scripted API server. */
export const startKubeServer = async (
  answer: (request: Received, response: ServerResponse) => void,
): Promise<KubeServer> => {
  const server = await startHttpServer(answer);
  const folder = await mkdtemp(join(tmpdir(), 'kube-server-'));
  const file = join(folder, 'config');
  await writeFile(file, JSON.stringify(kubeconfigFor(server.url)), { mode: 0o600 });
  return {
    server,
    env: { KUBECONFIG: file, HEALTH_PORT: '0', METRICS_PORT: '0', LEADER_ELECTION: 'false' },
    close: async () => {
      await server.close();
      await rm(folder, { recursive: true });
    },
  };
};
