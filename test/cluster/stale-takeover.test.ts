import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEntry } from '#test/control-plane/audit.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle, OPERATOR, OPERATOR_USER, startInstalledOperator } from '#test/control-plane/install.ts';
import { spawnOperator, works } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { behindOf, kubeconfigThrough, startFaultProxy } from '#test/fault-proxy/proxy.ts';
import type { PodSetBody } from './pod-set-body.ts';

const merge = { contentType: 'application/merge-patch+json' } as const;

let plane: ControlPlane;
let namespace: string;

beforeAll(async () => {
  plane = await startControlPlane({ scheduler: false, kwok: false });
  await installBundle(plane);
  namespace = await plane.createNamespace('stale');
});

afterAll(async () => plane?.stop());

const podSets = (): string => `/apis/app.example.com/v1alpha1/namespaces/${namespace}/podsets`;

const settled = (replicas: number): Promise<void> =>
  waitFor(`${replicas} pods`, async () => {
    const { metadata, status } = (await plane.request<PodSetBody>('GET', `${podSets()}/web`)).body;
    return status?.observedGeneration === metadata.generation && status.replicas === replicas;
  });

const scaled = async (replicas: number): Promise<void> => {
  await plane.request('PATCH', `${podSets()}/web`, { spec: { replicas } }, merge);
  await settled(replicas);
};

const podDeletes = async (since: Date): Promise<readonly AuditEntry[]> =>
  (await plane.auditEntries({ user: OPERATOR_USER, since })).filter(
    ({ verb, resource }) => verb === 'delete' && resource === 'pods',
  );

describe('an operator whose caches can be old when it begins to lead', () => {
  it('deletes no pod that the present state wants, when its watch is behind a scale-up at the moment of the take-over', async () => {
    await using proxy = await startFaultProxy(behindOf(plane));
    const token = await plane.serviceAccountKubeconfig(OPERATOR, OPERATOR);
    const podSet = { apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet', metadata: { name: 'web' } };
    await plane.request('POST', podSets(), { ...podSet, spec: { replicas: 1 } });
    await using first = await startInstalledOperator(plane);
    await settled(1);
    await using standby = spawnOperator({
      kubeconfig: await kubeconfigThrough(proxy, token),
      env: { POD_NAMESPACE: OPERATOR, LEASE_NAME: OPERATOR },
    });
    await waitFor('a standby', async () => standby.log.some(({ msg }) => msg === 'caches filled, running for leader'));
    const behind = proxy.streams().filter(({ call }) => call.resource === 'podsets');
    for (const stream of behind) stream.hold();
    await scaled(3);
    const since = new Date();
    await first.stop();
    await works(standby);
    await scaled(4);
    expect(behind).toHaveLength(1);
    expect(await podDeletes(since)).toEqual([]);
  });

  it('asks for no state that may be old: no list and no first watch has resourceVersion=0', async () => {
    const reads = (await plane.auditEntries({ user: OPERATOR_USER })).filter(({ verb }) =>
      ['list', 'watch'].includes(verb),
    );
    expect(reads.length).toBeGreaterThan(0);
    expect(reads.filter(({ requestURI }) => /[?&]resourceVersion=0(?:&|$)/.test(requestURI))).toEqual([]);
  });
});
