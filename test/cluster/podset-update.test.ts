import type { Pod as KubePod } from 'kubernetes-types/core/v1.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle, startInstalledOperator } from '#test/control-plane/install.ts';
import type { OperatorProcess } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';

interface PodSetBody {
  readonly metadata: { readonly generation: number };
  readonly status?: {
    readonly observedGeneration: number;
    readonly updatedReplicas: number;
    readonly replicas: number;
    readonly currentRevision: string;
    readonly updateRevision: string;
    readonly podNames: readonly string[];
    readonly conditions: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
  };
}

let plane: ControlPlane;
let operator: OperatorProcess;

beforeAll(async () => {
  plane = await startControlPlane();
  await installBundle(plane);
  operator = await startInstalledOperator(plane);
});

afterAll(async () => {
  await operator?.stop();
  await plane?.stop();
});

const podSets = (namespace: string): string => `/apis/app.example.com/v1alpha1/namespaces/${namespace}/podsets`;

const templateOf = (image: string, more: object = {}) => ({ spec: { containers: [{ name: 'c', image, ...more }] } });

const read = async (namespace: string): Promise<PodSetBody> =>
  (await plane.request<PodSetBody>('GET', `${podSets(namespace)}/web`)).body;

const podsIn = async (namespace: string): Promise<readonly KubePod[]> => {
  const { items } = (await plane.request<{ items: KubePod[] }>('GET', `/api/v1/namespaces/${namespace}/pods`)).body;
  return items.filter(({ metadata }) => !metadata?.deletionTimestamp);
};

const imagesIn = async (namespace: string): Promise<string[]> =>
  (await podsIn(namespace)).map(({ spec }) => spec?.containers[0]?.image ?? '').toSorted();

const create = async (namespace: string, spec: object): Promise<void> => {
  const body = { apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet', metadata: { name: 'web' }, spec };
  await plane.request('POST', podSets(namespace), body);
};

const edit = async (namespace: string, spec: object): Promise<void> => {
  const contentType = 'application/merge-patch+json';
  await plane.request('PATCH', `${podSets(namespace)}/web`, { spec }, { contentType });
};

const reasonOf = ({ status }: PodSetBody, type: string): string | undefined =>
  status?.conditions.find((condition) => condition.type === type && condition.status === 'True')?.reason;

const settled = async (namespace: string): Promise<PodSetBody> => {
  const isSettled = async (): Promise<boolean> => {
    const set = await read(namespace);
    const { metadata, status } = set;
    const isSeen = status?.observedGeneration === metadata.generation;
    return isSeen && reasonOf(set, 'Ready') === 'PodsReady' && status.currentRevision === status.updateRevision;
  };
  await waitFor(`the set in ${namespace} to be ready`, isSettled, { timeoutMs: 110_000 });
  return read(namespace);
};

const spec = { replicas: 3, template: templateOf('a:1') };

describe('the update of a PodSet on a real control plane', () => {
  it('replaces the pods, keeps both templates, and records events', async () => {
    const namespace = await plane.createNamespace('rolling');
    await create(namespace, spec);
    await settled(namespace);
    expect(await imagesIn(namespace)).toEqual(['a:1', 'a:1', 'a:1']);
    await edit(namespace, { template: templateOf('a:2') });
    const { status } = await settled(namespace);
    await waitFor('three pods', async () => (await podsIn(namespace)).length === 3);
    expect(await imagesIn(namespace)).toEqual(['a:2', 'a:2', 'a:2']);
    expect(status).toMatchObject({ replicas: 3, updatedReplicas: 3 });
    const { stdout } = await plane.kubectl(['-n', namespace, 'get', 'controllerrevisions', '-o', 'name']);
    expect(stdout.trim().split('\n')).toHaveLength(2);
    const events = ['-n', namespace, 'get', 'events', '-o', 'jsonpath={.items[*].reason}'];
    await waitFor('the event of the end', async () =>
      (await plane.kubectl(events)).stdout.includes('RollingUpdateCompleted'),
    );
    expect((await plane.kubectl(events)).stdout).toContain('RollingUpdateStarted');
  });

  it('keeps every pod when the API server would refuse the template, and goes on when that is mended', async () => {
    const namespace = await plane.createNamespace('invalid');
    await create(namespace, spec);
    const { status } = await settled(namespace);
    await edit(namespace, { template: templateOf('a:2', { ports: [{ containerPort: 99_999 }] }) });
    const isStalled = async (): Promise<boolean> => reasonOf(await read(namespace), 'Stalled') === 'InvalidTemplate';
    await waitFor('the refusal', isStalled);
    expect((await read(namespace)).status?.podNames).toEqual(status?.podNames);
    await edit(namespace, { template: templateOf('a:1', { ports: null }) });
    expect((await settled(namespace)).status?.podNames).toEqual(status?.podNames);
  });

  it('takes pods and templates back that kubectl delete --cascade=orphan has left behind', async () => {
    const namespace = await plane.createNamespace('orphans');
    await create(namespace, spec);
    const { status } = await settled(namespace);
    const { code } = await plane.kubectl(['-n', namespace, 'delete', 'podset', 'web', '--cascade=orphan']);
    expect(code).toBe(0);
    await waitFor('orphans', async () =>
      (await podsIn(namespace)).every(({ metadata }) => metadata?.ownerReferences === undefined),
    );
    await create(namespace, spec);
    const again = await settled(namespace);
    expect(again.status?.podNames).toEqual(status?.podNames);
    expect(again.status?.updateRevision).toBe(status?.updateRevision);
  });
});
