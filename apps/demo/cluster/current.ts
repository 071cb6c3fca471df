import { homedir } from 'node:os';
import { join } from 'node:path';
import type { DemoCluster } from './cluster.ts';

/** The cluster that kubectl would talk to. Nothing is started, and nobody has kept what was asked of it. */
export const useCurrentCluster = async (): Promise<DemoCluster> => ({
  kubeconfig: process.env['KUBECONFIG'] || join(homedir(), '.kube', 'config'),
  hasKubelets: true,
  isOurs: false,
  requestsOf: async () => undefined,
  [Symbol.asyncDispose]: async () => {},
});
