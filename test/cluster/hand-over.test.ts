import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle, OPERATOR } from '#test/control-plane/install.ts';
import { type OperatorProcess, spawnOperator } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { scripted } from '#test/fault-proxy/plans.ts';
import { behindOf, type FaultProxy, kubeconfigThrough, startFaultProxy } from '#test/fault-proxy/proxy.ts';

let plane: ControlPlane;

beforeAll(async () => {
  plane = await startControlPlane({ scheduler: false, kwok: false });
  await installBundle(plane);
});

afterAll(async () => {
  await plane?.stop();
});

/** With the default lease a write may take 10 s; the operator waits for it before it ends. */
const WRITE_TIMEOUT_MS = 10_000;

interface PodSetBody {
  readonly status?: { readonly replicas: number };
}

it('an operator that is asked to end hands over although one of its writes hangs, and the other one does the work (R6)', async () => {
  const hangs = scripted([{ on: { verb: 'create', resource: 'pods' }, do: { fault: 'halfOpen' } }]);
  await using proxy = await startFaultProxy(behindOf(plane), { plan: hangs });
  const namespace = await plane.createNamespace('hand-over');
  const kubeconfig = await plane.serviceAccountKubeconfig(OPERATOR, OPERATOR);
  const env = { POD_NAMESPACE: OPERATOR, LEASE_NAME: OPERATOR };
  await using leader = spawnOperator({ kubeconfig: await kubeconfigThrough(proxy, kubeconfig), env });
  await waitFor('a leader', async () => leader.log.some(({ msg }) => msg === 'caches filled, loop started'));
  await using standby = spawnOperator({ kubeconfig, env });
  await waitFor('a standby', async () => standby.log.some(({ msg }) => msg === 'caches filled, running for leader'));
  const podSet = { apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet', metadata: { name: 'web' } };
  const path = `/apis/app.example.com/v1alpha1/namespaces/${namespace}/podsets`;
  await plane.request('POST', path, { ...podSet, spec: { replicas: 2 } });
  await waitFor('a write that hangs', async () => proxy.decisions.some(({ fault }) => fault !== undefined));
  const signalledAt = performance.now();
  expect(await leader.stop('SIGTERM')).toBe(0);
  expect(performance.now() - signalledAt).toBeLessThan(WRITE_TIMEOUT_MS - 1000);
  await waitFor('the other one to do the work', async () => {
    const { status } = (await plane.request<PodSetBody>('GET', `${path}/web`)).body;
    return status?.replicas === 2;
  });
  expect(leader.log.filter(({ msg }) => msg.startsWith('did not end'))).toEqual([]);
});

it('an operator that cannot watch what it needs does not take the lease from one that can', async () => {
  const resets = scripted([{ on: { verb: ['list', 'watch'], resource: 'pods' }, do: { fault: 'dropBefore' } }]);
  await using proxy = await startFaultProxy(behindOf(plane), { plan: resets });
  const kubeconfig = await plane.serviceAccountKubeconfig(OPERATOR, OPERATOR);
  const env = { POD_NAMESPACE: OPERATOR, LEASE_NAME: OPERATOR };
  await using unfit = spawnOperator({ kubeconfig: await kubeconfigThrough(proxy, kubeconfig), env });
  await waitFor('a list that fails', async () => unfit.log.some(({ msg }) => msg === 'watch failed, trying again'));
  await using fit = spawnOperator({ kubeconfig, env });
  await waitFor('the other one to work', async () => fit.log.some(({ msg }) => msg === 'caches filled, loop started'));
  expect(unfit.log.filter(({ msg }) => msg === 'leading')).toEqual([]);
});

/**
 * The environment of a process with a fast clock: the two minutes until a leader is unfit, its minute of rest and its lease
 * last some seconds.
 */
const FAST = {
  POD_NAMESPACE: OPERATOR,
  LEASE_NAME: OPERATOR,
  LEASE_DURATION_SECONDS: '60',
  NODE_OPTIONS: `--import=${new URL('./chaos/fast-clock.ts', import.meta.url).href}`,
};

interface Probe {
  readonly status: number;
  readonly said: string;
}

const probe = async ({ log }: OperatorProcess): Promise<Probe> => {
  const port = String(log.find(({ msg }) => msg === 'operator started')?.['healthPort']);
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
  return { status: answer.status, said: await answer.text() };
};

const says = (operator: OperatorProcess, part: string): boolean => operator.log.some(({ msg }) => msg.startsWith(part));

const cutWatchesOfPods = ({ streams }: FaultProxy): void =>
  streams()
    .filter(({ call }) => call.resource === 'pods')
    .forEach((stream) => stream.cut());

interface ClusterRole {
  readonly rules: readonly { readonly resources: readonly string[]; readonly verbs: readonly string[] }[];
}

/** Takes the right to watch pods from all replicas. @returns a function that restores it */
const takeRightToWatchPods = async (): Promise<() => Promise<void>> => {
  const path = `/apis/rbac.authorization.k8s.io/v1/clusterroles/${OPERATOR}`;
  const { rules } = (await plane.request<ClusterRole>('GET', path)).body;
  const put = async (next: ClusterRole['rules']): Promise<void> => {
    await plane.request('PATCH', path, { rules: next }, { contentType: 'application/merge-patch+json' });
  };
  await put(
    rules.map((rule) => ({
      ...rule,
      verbs: rule.verbs.filter((verb) => verb !== 'watch' || !rule.resources.includes('pods')),
    })),
  );
  return async () => put(rules);
};

it('a leader goes on without a watch that is forbidden to every replica, and gives the lease back to one that can watch what it alone cannot', async () => {
  await using proxy = await startFaultProxy(behindOf(plane));
  const namespace = await plane.createNamespace('unfit');
  const kubeconfig = await plane.serviceAccountKubeconfig(OPERATOR, OPERATOR);
  await using leader = spawnOperator({ kubeconfig: await kubeconfigThrough(proxy, kubeconfig), env: FAST });
  await waitFor('a leader', async () => says(leader, 'caches filled, loop started'));
  await using standby = spawnOperator({ kubeconfig, env: { POD_NAMESPACE: OPERATOR, LEASE_NAME: OPERATOR } });
  await waitFor('a standby', async () => says(standby, 'caches filled, running for leader'));
  const path = `/apis/app.example.com/v1alpha1/namespaces/${namespace}/podsets`;
  const grows = async (replicas: number): Promise<void> => {
    const podSet = { apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet', metadata: { name: `web-${replicas}` } };
    await plane.request('POST', path, { ...podSet, spec: { replicas } });
    await waitFor(`${replicas} pods`, async () => {
      const { status } = (await plane.request<PodSetBody>('GET', `${path}/web-${replicas}`)).body;
      return status?.replicas === replicas;
    });
  };

  const giveBack = await takeRightToWatchPods();
  cutWatchesOfPods(proxy);
  await waitFor('the refusal to be known', async () => (await probe(leader)).said.includes('missing pods: Forbidden'));
  expect((await probe(leader)).status).toBe(200);
  await giveBack();
  await grows(2);
  await waitFor('events of the watch', async () => (await probe(leader)).said === 'ok\n');
  expect(says(standby, 'leading')).toBe(false);

  proxy.use(scripted([{ on: { verb: ['list', 'watch'], resource: 'pods' }, do: { fault: 'dropBefore' } }]));
  cutWatchesOfPods(proxy);
  await waitFor('the other one to lead', async () => says(standby, 'leading'));
  expect(await probe(leader)).toEqual({ status: 503, said: expect.stringContaining('missing pods: ') as string });
  await grows(3);
  expect(await leader.exited).toBe(1);
  const error = { code: 'NotLeading', message: expect.stringContaining('Released the lease') as string };
  expect(leader.log.at(-1)).toMatchObject({ level: 'error', msg: 'operator ended with an error', error });
  expect(leader.log.filter(({ msg }) => msg === 'leading')).toHaveLength(1);
});
