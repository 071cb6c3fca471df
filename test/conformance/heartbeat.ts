import { setTimeout as sleep } from 'node:timers/promises';
import { createKubeClient } from '#lib/kube/client/client.ts';
import { loadCredentials } from '#lib/kube/credentials/credentials.ts';

const INTERVAL_MS = 10_000;
const leases = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', plural: 'leases', scope: 'Namespaced' } as const;
const target = { namespace: 'kube-node-lease', name: 'node-1' };

/**
 * Renews the lease of a node every ten seconds, as kubelets do: the embedded cluster at rest writes nothing, and
 * without writes no version expires.
 *
 * @returns a handle that stops it
 */
export const heartbeat = async (kubeconfig: string): Promise<AsyncDisposable> => {
  const client = createKubeClient(await loadCredentials({ env: { KUBECONFIG: kubeconfig } }));
  const ending = new AbortController();
  const { signal } = ending;
  const beat = async (): Promise<void> => {
    while (!signal.aborted) {
      const spec = { holderIdentity: target.name, renewTime: new Date().toISOString().replace('Z', '000Z') };
      const lease = { apiVersion: leases.apiVersion, kind: leases.kind, metadata: target, spec };
      await client.apply(leases, target, lease, { force: true, fieldManager: 'kubelet' });
      await sleep(INTERVAL_MS, undefined, { signal }).catch(() => {});
    }
  };
  const beating = beat();
  return {
    [Symbol.asyncDispose]: async () => {
      ending.abort();
      await beating;
      await client.close();
    },
  };
};
