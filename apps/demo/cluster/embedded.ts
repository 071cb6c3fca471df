import { startEmbeddedCluster } from '#lib/embedded/embedded-cluster.ts';
import type { DemoCluster } from './cluster.ts';

/** The virtual cluster of `lib/sim` behind HTTPS, on the clock of this machine: neither Go nor Docker is needed. */
export const startEmbedded = async (): Promise<DemoCluster> => {
  const cluster = await startEmbeddedCluster();
  return {
    kubeconfig: cluster.kubeconfig,
    hasKubelets: false,
    isOurs: true,
    requestsOf: async (user) => cluster.requests().filter((request) => request.user === user),
    [Symbol.asyncDispose]: () => cluster.close(),
  };
};
