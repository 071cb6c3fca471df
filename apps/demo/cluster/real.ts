import type { AuditEntry } from '#test/control-plane/audit.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import type { DemoCluster, SentRequest } from './cluster.ts';

/** As kubectl names it: `podsets.app.example.com/status`. */
const named = ({ resource, apiGroup, subresource }: AuditEntry): string =>
  `${resource}${apiGroup === '' ? '' : `.${apiGroup}`}${subresource === '' ? '' : `/${subresource}`}`;

const requestsIn = async (plane: ControlPlane, user: string): Promise<readonly SentRequest[]> =>
  (await plane.auditEntries({ user })).map((entry) => ({ verb: entry.verb, resource: named(entry), code: entry.code }));

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
