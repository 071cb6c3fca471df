import type { ControlPlaneClient } from './client.ts';

/** The holder of a lease: the name of a pod and a random part; empty without a holder, undefined without the lease. */
export const leaseHolder = async (
  { request }: Pick<ControlPlaneClient, 'request'>,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<string | undefined> => {
  const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}`;
  const { body } = await request<{ readonly spec?: { readonly holderIdentity?: string } }>('GET', path);
  return body.spec && (body.spec.holderIdentity ?? '');
};
