import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import type { DemoCluster, SentRequest } from './cluster.ts';

const requestsIn = async (plane: ControlPlane, user: string): Promise<readonly SentRequest[]> =>
  (await plane.auditEntries({ user })).map(({ verb, resource, subresource, code }) => ({
    verb,
    resource: subresource === '' ? resource : `${resource}/${subresource}`,
    code,
  }));

/** A control plane of this machine, built from its Go modules the first time; kwok pretends nodes and kubelets. */
export const startRealCluster = async (): Promise<DemoCluster> => {
  const plane = await startControlPlane();
  return {
    kubeconfig: plane.kubeconfig,
    hasKubelets: false,
    isOurs: true,
    requestsOf: (user) => requestsIn(plane, user),
    [Symbol.asyncDispose]: () => plane[Symbol.asyncDispose](),
  };
};
