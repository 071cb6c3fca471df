import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ComponentName } from '#test/control-plane/command.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { tryProcessStart } from '#test/control-plane/process.ts';

let plane: ControlPlane;
let namespace: string;

beforeAll(async () => {
  plane = await startControlPlane();
  namespace = await plane.createNamespace('restart');
});

afterAll(async () => {
  await plane?.stop();
});

interface PodBody {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly spec: { readonly nodeName?: string };
}

const pods = (): string => `/api/v1/namespaces/${namespace}/pods`;

const createPod = async (name: string): Promise<PodBody> => {
  const spec = { containers: [{ name: 'c', image: 'busybox' }] };
  return (await plane.request<PodBody>('POST', pods(), { metadata: { name }, spec })).body;
};

const readPod = async (name: string): Promise<PodBody> =>
  (await plane.request<PodBody>('GET', `${pods()}/${name}`)).body;

const isScheduled = async (name: string): Promise<boolean> => (await readPod(name)).spec.nodeName !== undefined;

const createDeployment = async (name: string): Promise<void> => {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'busybox' }] } };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template };
  await plane.request('POST', `/apis/apps/v1/namespaces/${namespace}/deployments`, { metadata: { name }, spec });
};

const podsOf = async (app: string): Promise<number> =>
  (await plane.request<{ items: unknown[] }>('GET', `${pods()}?labelSelector=app%3D${app}`)).body.items.length;

describe('ControlPlane.restart()', () => {
  it.each(['kube-apiserver', 'etcd'] as const)(
    'keeps what was stored when %s is killed, in a new process',
    async (component: ComponentName) => {
      const created = await createPod(`before-${component}`);
      const before = plane.pids[component] ?? 0;
      await plane.restart(component, { signal: 'SIGKILL' });
      expect(tryProcessStart(before)).toBeUndefined();
      expect(tryProcessStart(plane.pids[component] ?? 0)).toBeDefined();
      expect((await readPod(created.metadata.name)).metadata.name).toBe(created.metadata.name);
      await createPod(`after-${component}`);
    },
  );

  it('ends open watches when the API server is killed, and counts on in the audit log', async () => {
    const since = new Date();
    const watch = plane.request('GET', `${pods()}?watch=1`).catch((error: unknown) => error);
    await waitFor('the watch to be open', async () =>
      (await plane.auditEntries({ user: 'admin', since })).some(({ verb }) => verb === 'watch'),
    );
    await plane.restart('kube-apiserver', { signal: 'SIGKILL' });
    expect(await watch).toMatchObject({ code: 'REQUEST_FAILED' });
    await readPod('before-etcd');
    const counts = await plane.auditCounts({ user: 'admin', namespace, since });
    expect(counts).toEqual({ 'admin get pods': 1, 'admin watch pods': 1 });
  });

  it('leaves undone what a component does while it is down, and has it done afterwards', async () => {
    await plane.restart('kube-scheduler', {
      whileDown: async () => {
        await createPod('unscheduled');
        expect(plane.pids['kube-scheduler']).toBeDefined();
        expect(await isScheduled('unscheduled')).toBe(false);
      },
    });
    await waitFor('the pod to be scheduled', () => isScheduled('unscheduled'));
    await plane.restart('kube-controller-manager', {
      whileDown: async () => {
        await createDeployment('waiting');
        expect(await podsOf('waiting')).toBe(0);
      },
    });
    await waitFor('the pod of the deployment', async () => (await podsOf('waiting')) === 1);
    expect(await podsOf('waiting')).toBe(1);
  });

  it('refuses a component that does not run', async () => {
    await using bare = await startControlPlane({ controllers: false, scheduler: false, kwok: false });
    await expect(bare.restart('kwok')).rejects.toMatchObject({
      code: 'NOT_STARTED',
      message: 'Cannot restart "kwok": not running, expected one of etcd, kube-apiserver',
    });
  });
});

describe('ControlPlane.compactHistory()', () => {
  it('makes the API server refuse an old resource version with 410 once it was restarted', async () => {
    const { metadata } = await createPod('old');
    await createPod('newer');
    await plane.compactHistory();
    await plane.restart('kube-apiserver');
    const path = `${pods()}?watch=1&timeoutSeconds=2&resourceVersion=${metadata.resourceVersion}`;
    await waitFor('the API server to fill its cache', async () => {
      const { status, body } = await plane.request<string>('GET', path);
      return status === 410 || JSON.stringify(body).includes('too old resource version');
    });
    expect((await readPod('old')).metadata.resourceVersion).toBeDefined();
  });
});
