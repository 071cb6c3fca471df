import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle, OPERATOR } from '#test/control-plane/install.ts';
import { startOperator } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import type { Fault, FaultPlan } from '#test/fault-proxy/fault.ts';
import { combined, replayed, scripted, seeded } from '#test/fault-proxy/plans.ts';
import { behindOf, kubeconfigThrough, mutationsOf, startFaultProxy } from '#test/fault-proxy/proxy.ts';

let plane: ControlPlane;

beforeAll(async () => {
  plane = await startControlPlane({ scheduler: false, kwok: false });
  await installBundle(plane);
});

afterAll(async () => {
  await plane?.stop();
});

interface PodSetBody {
  readonly metadata: { readonly generation: number };
  readonly status?: { readonly observedGeneration: number; readonly replicas: number };
}

const scaled = async (namespace: string, replicas: number): Promise<void> => {
  const path = `/apis/app.example.com/v1alpha1/namespaces/${namespace}/podsets/web`;
  await plane.request('PATCH', path, { spec: { replicas } }, { contentType: 'application/merge-patch+json' });
  await waitFor(`${replicas} pods in ${namespace}`, async () => {
    const { metadata, status } = (await plane.request<PodSetBody>('GET', path)).body;
    return status?.observedGeneration === metadata.generation && status.replicas === replicas;
  });
};

/** Scales a PodSet while an operator works through a proxy with this plan. */
const livedThrough = async (plan: FaultPlan) => {
  await using proxy = await startFaultProxy(behindOf(plane), { plan });
  const kubeconfig = await kubeconfigThrough(proxy, await plane.serviceAccountKubeconfig(OPERATOR, OPERATOR));
  await using operator = await startOperator({ kubeconfig, env: { LEADER_ELECTION: 'false' } });
  const namespace = await plane.createNamespace('faults');
  const podSet = { apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet', metadata: { name: 'web' } };
  const path = `/apis/app.example.com/v1alpha1/namespaces/${namespace}/podsets`;
  await plane.request('POST', path, { ...podSet, spec: { replicas: 2 } });
  for (const replicas of [4, 1, 3]) await scaled(namespace, replicas);
  const pods = await plane.request<{ items: unknown[] }>('GET', `/api/v1/namespaces/${namespace}/pods`);
  await plane.request('DELETE', `${path}/web`);
  await operator.stop();
  return { pods: pods.body.items.length, decisions: proxy.decisions };
};

const faults: readonly Fault[] = [
  { fault: 'dropBefore' },
  { fault: 'dropAfter' },
  { fault: 'delay', ms: 20 },
  { fault: 'answer', code: 429, retryAfterSeconds: 0 },
  { fault: 'answer', code: 500 },
  { fault: 'answer', code: 503 },
  { fault: 'answer', code: 409 },
  { fault: 'holdEvents', ms: 100 },
  { fault: 'cutStream', afterEvents: 3 },
  { fault: 'endStream', afterEvents: 2 },
  { fault: 'staleList', back: 1 },
];

describe('an operator behind the fault proxy', () => {
  it('works as without it when nothing is planned', async () => {
    const { pods, decisions } = await livedThrough(() => undefined);
    expect(pods).toBe(3);
    expect(decisions.filter(({ fault }) => fault !== undefined)).toEqual([]);
    expect(mutationsOf(decisions).length).toBeGreaterThanOrEqual(2 + 2 + 3 + 2);
  });

  it('takes a create whose answer was lost for done', async () => {
    const lost = scripted([{ on: { verb: 'create', resource: 'pods', nth: 2 }, do: { fault: 'dropAfter' } }]);
    const { pods, decisions } = await livedThrough(lost);
    expect(pods).toBe(3);
    const creates = mutationsOf(decisions).filter(({ call }) => call.verb === 'create' && call.resource === 'pods');
    expect(creates.filter(({ status }) => status === 201)).toHaveLength(6);
  });

  it('ends as it should under random faults, and again when they are replayed from the record', async () => {
    // The first list and watch have no faults, so that the start needs no back-off.
    const spared = seeded({ seed: 11, chance: 0.2, faults });
    const { pods, decisions } = await livedThrough((call) => (call.seq <= 6 ? undefined : spared(call)));
    expect(pods).toBe(3);
    expect(decisions.some(({ fault }) => fault !== undefined)).toBe(true);
    expect((await livedThrough(combined(replayed(decisions)))).pods).toBe(3);
  });
});
