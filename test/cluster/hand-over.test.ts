import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle, OPERATOR } from '#test/control-plane/install.ts';
import { spawnOperator } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { scripted } from '#test/fault-proxy/plans.ts';
import { behindOf, kubeconfigThrough, startFaultProxy } from '#test/fault-proxy/proxy.ts';

let plane: ControlPlane;

beforeAll(async () => {
  plane = await startControlPlane({ scheduler: false, kwok: false });
  await installBundle(plane);
});

afterAll(async () => {
  await plane?.stop();
});

/** With the default lease a write may take 10 s; who waits for it does not end sooner. */
const WRITE_TIMEOUT_MS = 10_000;

interface PodSetBody {
  readonly status?: { readonly replicas: number };
}

it('an operator that is told to end hands over although a write of it hangs, and the other one does the work (R6)', async () => {
  const hangs = scripted([{ on: { verb: 'create', resource: 'pods' }, do: { fault: 'halfOpen' } }]);
  await using proxy = await startFaultProxy(behindOf(plane), { plan: hangs });
  const namespace = await plane.createNamespace('hand-over');
  const kubeconfig = await plane.serviceAccountKubeconfig(OPERATOR, OPERATOR);
  const env = { POD_NAMESPACE: OPERATOR, LEASE_NAME: OPERATOR };
  await using leader = spawnOperator({ kubeconfig: await kubeconfigThrough(proxy, kubeconfig), env });
  await waitFor('a leader', async () => leader.log.some(({ msg }) => msg === 'caches filled, loop started'));
  await using standby = spawnOperator({ kubeconfig, env });
  await waitFor('a standby', async () => standby.log.some(({ msg }) => msg === 'caches filled, standing by'));
  const podSet = { apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet', metadata: { name: 'web' } };
  const path = `/apis/app.example.com/v1alpha1/namespaces/${namespace}/podsets`;
  await plane.request('POST', path, { ...podSet, spec: { replicas: 2 } });
  await waitFor('a write that hangs', async () => proxy.decisions.some(({ fault }) => fault !== undefined));
  const toldAt = performance.now();
  expect(await leader.stop('SIGTERM')).toBe(0);
  expect(performance.now() - toldAt).toBeLessThan(WRITE_TIMEOUT_MS - 1000);
  await waitFor('the other one to do the work', async () => {
    const { status } = (await plane.request<PodSetBody>('GET', `${path}/web`)).body;
    return status?.replicas === 2;
  });
  expect(leader.log.filter(({ msg }) => msg.startsWith('did not end'))).toEqual([]);
});
