import { fileURLToPath } from 'node:url';
import type { Pod as KubePod } from 'kubernetes-types/core/v1.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle, startInstalledOperator } from '#test/control-plane/install.ts';
import type { OperatorProcess } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';

const manifestOf = (name: string): string => fileURLToPath(new URL(`../manifests/${name}.yaml`, import.meta.url));

interface PodSetBody {
  readonly metadata: { readonly uid: string; readonly generation: number; readonly finalizers?: string[] };
  readonly spec: { readonly replicas: number };
  readonly status?: {
    readonly observedGeneration: number;
    readonly replicas: number;
    readonly readyReplicas: number;
    readonly podNames: readonly string[];
    readonly selector: string;
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

const kubectl = async (namespace: string, ...args: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await plane.kubectl(['-n', namespace, ...args]);
  expect(stderr).not.toMatch(/error/i);
  expect(code).toBe(0);
  return stdout;
};

const podSetIn = async (namespace: string): Promise<PodSetBody> =>
  (
    await plane.request<PodSetBody>(
      'GET',
      `/apis/app.example.com/v1alpha1/namespaces/${namespace}/podsets/example-podset`,
    )
  ).body;

const podsIn = async (namespace: string): Promise<readonly KubePod[]> =>
  (await plane.request<{ items: KubePod[] }>('GET', `/api/v1/namespaces/${namespace}/pods`)).body.items;

const living = (pods: readonly KubePod[]): readonly KubePod[] => pods.filter((pod) => !pod.metadata?.deletionTimestamp);

const namesOf = (pods: readonly KubePod[]): string[] => pods.map((pod) => pod.metadata?.name ?? '').toSorted();

/** Waits until the status reports this many pods as existing and ready. */
const settled = async (namespace: string, replicas: number): Promise<PodSetBody> => {
  await waitFor(`${replicas} ready pods in ${namespace}`, async () => {
    const { metadata, status } = await podSetIn(namespace);
    return (
      status?.observedGeneration === metadata.generation &&
      status.replicas === replicas &&
      status.readyReplicas === replicas
    );
  });
  return podSetIn(namespace);
};

const applied = async (prefix: string): Promise<{ readonly namespace: string; readonly podSet: PodSetBody }> => {
  const namespace = await plane.createNamespace(prefix);
  await kubectl(namespace, 'apply', '-f', manifestOf('podset'));
  return { namespace, podSet: await settled(namespace, 3) };
};

describe('PodSet on a real control plane', () => {
  it('runs three pods of its own when the classic manifest is applied', async () => {
    const { namespace, podSet } = await applied('classic');
    const pods = await podsIn(namespace);
    expect(pods).toHaveLength(3);
    for (const pod of pods) {
      expect(pod.metadata?.ownerReferences).toEqual([
        {
          apiVersion: 'app.example.com/v1alpha1',
          kind: 'PodSet',
          name: 'example-podset',
          uid: podSet.metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ]);
      expect(pod.metadata?.labels).toMatchObject({ app: 'example-podset', 'app.example.com/podset': 'example-podset' });
      expect(pod.spec?.containers[0]).toMatchObject({ name: 'busybox', image: 'busybox', command: ['sleep', '3600'] });
    }
  });

  it('lists the names of its pods sorted, with a selector that finds exactly them', async () => {
    const { namespace, podSet } = await applied('names');
    const names = podSet.status?.podNames ?? [];
    expect(names).toEqual(names.toSorted());
    expect(names).toEqual(namesOf(await podsIn(namespace)));
    const selected = await kubectl(namespace, 'get', 'pods', '-o', 'name', '-l', podSet.status?.selector ?? '');
    expect(selected.trim().split('\n')).toHaveLength(3);
  });

  it('is ready for kubectl wait when its pods are', async () => {
    const { namespace, podSet } = await applied('wait');
    const states = podSet.status?.conditions.map(({ type, status }) => `${type}=${status}`);
    expect(states).toEqual(['Ready=True', 'Reconciling=False', 'Stalled=False', 'Available=True', 'Progressing=True']);
    await kubectl(namespace, 'wait', '--for=condition=Ready', '--timeout=180s', 'podset/example-podset');
  });

  it('follows kubectl scale up, down and to zero', async () => {
    const { namespace } = await applied('scale');
    for (const replicas of [5, 1, 0]) {
      await kubectl(namespace, 'scale', 'podset/example-podset', `--replicas=${replicas}`);
      const { status } = await settled(namespace, replicas);
      expect(namesOf(living(await podsIn(namespace)))).toEqual(status?.podNames);
    }
  });

  it('follows kubectl scale up from zero', async () => {
    const namespace = await plane.createNamespace('from-zero');
    const manifest = { apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet', metadata: { name: 'example-podset' } };
    const path = `/apis/app.example.com/v1alpha1/namespaces/${namespace}/podsets`;
    await plane.request('POST', path, { ...manifest, spec: { replicas: 0 } });
    await settled(namespace, 0);
    await kubectl(namespace, 'scale', 'podset/example-podset', '--replicas=2');
    const { status } = await settled(namespace, 2);
    expect(namesOf(living(await podsIn(namespace)))).toEqual(status?.podNames);
  });

  it('replaces a pod that is deleted, under another name', async () => {
    const { namespace, podSet } = await applied('replace');
    const lost = podSet.status?.podNames[0] ?? '';
    await kubectl(namespace, 'delete', 'pod', lost, '--wait=false');
    await waitFor('a replacement', async () => !(await podSetIn(namespace)).status?.podNames.includes(lost));
    const { status } = await settled(namespace, 3);
    expect(status?.podNames).not.toContain(lost);
  });

  it('replaces a pod that failed, and keeps the last one that did to be looked at', async () => {
    const { namespace, podSet } = await applied('failed');
    const failed = podSet.status?.podNames[1] ?? '';
    const path = `/api/v1/namespaces/${namespace}/pods/${failed}/status`;
    const patch = { status: { phase: 'Failed', reason: 'Evicted' } };
    await plane.request('PATCH', path, patch, { contentType: 'application/merge-patch+json' });
    await waitFor('a replacement', async () => !(await podSetIn(namespace)).status?.podNames.includes(failed));
    await settled(namespace, 3);
    expect(namesOf(await podsIn(namespace))).toContain(failed);
    const keepNone = JSON.stringify({ spec: { failedPods: { keepLast: 0 } } });
    await kubectl(namespace, 'patch', 'podset/example-podset', '--type=merge', '-p', keepNone);
    await waitFor('the failed pod to go', async () => !namesOf(await podsIn(namespace)).includes(failed));
    expect((await podSetIn(namespace)).status?.readyReplicas).toBe(3);
  });

  it('leaves no pod behind when it is deleted', async () => {
    const { namespace } = await applied('deleted');
    await kubectl(namespace, 'delete', 'podset', 'example-podset');
    await waitFor('the pods to go', async () => (await podsIn(namespace)).length === 0);
    expect(await podsIn(namespace)).toEqual([]);
  });

  it('is not gone before its pods are when it is deleted in the foreground', async () => {
    const { namespace } = await applied('foreground');
    const [held = ''] = namesOf(await podsIn(namespace));
    const hold = async (finalizers: readonly string[] | null): Promise<string> =>
      kubectl(
        namespace,
        'patch',
        'pod',
        held,
        '--type=merge',
        `-p={"metadata":{"finalizers":${JSON.stringify(finalizers)}}}`,
      );
    await hold(['example.com/draining']);
    await kubectl(namespace, 'delete', 'podset', 'example-podset', '--cascade=foreground', '--wait=false');
    await waitFor('one pod to be left, on its way out', async () => {
      const pods = await podsIn(namespace);
      return pods.length === 1 && living(pods).length === 0;
    });
    expect((await podSetIn(namespace)).metadata.finalizers).toEqual(['foregroundDeletion']);
    await hold(null);
    await kubectl(namespace, 'wait', '--for=delete', 'podset/example-podset', '--timeout=60s');
  });

  it('never counts or deletes pods that are not its own, whatever labels they wear', async () => {
    const namespace = await plane.createNamespace('foreign');
    const metadata = {
      name: 'stranger',
      labels: { app: 'example-podset', 'app.example.com/podset': 'example-podset' },
    };
    const spec = { containers: [{ name: 'c', image: 'busybox' }] };
    await plane.request('POST', `/api/v1/namespaces/${namespace}/pods`, { metadata, spec });
    await kubectl(namespace, 'apply', '-f', manifestOf('podset'));
    const { status } = await settled(namespace, 3);
    expect(status?.podNames).not.toContain('stranger');
    await kubectl(namespace, 'scale', 'podset/example-podset', '--replicas=0');
    await settled(namespace, 0);
    await waitFor('its own pods to go', async () => (await podsIn(namespace)).length === 1);
    expect(namesOf(await podsIn(namespace))).toEqual(['stranger']);
  });

  it('is not fooled by pods of another namespace that name it as their controller', async () => {
    const { namespace, podSet } = await applied('victim');
    const attacker = await plane.createNamespace('attacker');
    const { uid } = podSet.metadata;
    const owner = {
      apiVersion: 'app.example.com/v1alpha1',
      kind: 'PodSet',
      name: 'example-podset',
      uid,
      controller: true,
    };
    const spec = { containers: [{ name: 'c', image: 'busybox' }] };
    for (const name of ['evil-1', 'evil-2', 'evil-3']) {
      const metadata = {
        name,
        ownerReferences: [owner],
        annotations: { 'controller.kubernetes.io/pod-deletion-cost': '999' },
      };
      await plane.request('POST', `/api/v1/namespaces/${attacker}/pods`, { metadata, spec });
    }
    await kubectl(namespace, 'scale', 'podset/example-podset', '--replicas=4');
    const { status } = await settled(namespace, 4);
    expect(status?.podNames).toEqual(expect.arrayContaining([...(podSet.status?.podNames ?? [])]));
    expect(status?.podNames.filter((name) => name.startsWith('evil'))).toEqual([]);
  });

  it('repairs a status that another writer changed', async () => {
    const { namespace, podSet } = await applied('status');
    const path = `/apis/app.example.com/v1alpha1/namespaces/${namespace}/podsets/example-podset/status`;
    await plane.request('PATCH', path, { status: { replicas: 7 } }, { contentType: 'application/merge-patch+json' });
    await waitFor('the repair', async () => (await podSetIn(namespace)).status?.replicas === 3);
    expect((await podSetIn(namespace)).status).toEqual(podSet.status);
  });

  it('tries again at once when a quota is raised, however often it was refused before', async () => {
    const namespace = await plane.createNamespace('raised');
    const quotas = `/api/v1/namespaces/${namespace}/resourcequotas`;
    const hardOf = async (): Promise<string | undefined> =>
      (await plane.request<{ status?: { hard?: { pods?: string } } }>('GET', `${quotas}/few`)).body.status?.hard?.pods;
    await plane.request('POST', quotas, { metadata: { name: 'few' }, spec: { hard: { pods: '2' } } });
    await waitFor('the quota to be counted', async () => (await hardOf()) === '2');
    await kubectl(namespace, 'apply', '-f', manifestOf('podset'));
    const answeredAt = async (code: number): Promise<readonly number[]> =>
      (await plane.auditEntries())
        .filter((entry) => entry.namespace === namespace && entry.resource === 'pods' && entry.code === code)
        .map(({ requestReceivedTimestamp }) => Date.parse(requestReceivedTimestamp));
    const refusals = (): Promise<readonly number[]> => answeredAt(403);
    // The next hold lasts 6.4 to 12.8 seconds.
    await waitFor('seven refusals', async () => (await refusals()).length >= 7);
    const options = { contentType: 'application/merge-patch+json' };
    await plane.request('PATCH', `${quotas}/few`, { spec: { hard: { pods: '5' } } }, options);
    await waitFor('the third pod', async () => living(await podsIn(namespace)).length === 3);
    // By the clock of the API server: on a busy machine everything takes longer.
    const [refusedAt, createdAt] = [(await refusals()).at(-1) ?? 0, (await answeredAt(201)).at(-1) ?? Infinity];
    expect(createdAt - refusedAt).toBeLessThan(6400);
    await settled(namespace, 3);
  });

  it('reports a quota instead of hammering it, and goes on when there is room', async () => {
    const namespace = await plane.createNamespace('quota');
    const quota = { metadata: { name: 'two-pods' }, spec: { hard: { pods: '2' } } };
    await plane.request('POST', `/api/v1/namespaces/${namespace}/resourcequotas`, quota);
    await waitFor('the quota to be counted', async () => {
      const path = `/api/v1/namespaces/${namespace}/resourcequotas/two-pods`;
      return (await plane.request<{ status?: { hard?: object } }>('GET', path)).body.status?.hard !== undefined;
    });
    await kubectl(namespace, 'apply', '-f', manifestOf('podset'));
    const reasonOf = async (): Promise<string | undefined> =>
      (await podSetIn(namespace)).status?.conditions.find(({ type }) => type === 'Reconciling')?.reason;
    await waitFor('the quota to be reported', async () => (await reasonOf()) === 'QuotaExceeded');
    expect(living(await podsIn(namespace))).toHaveLength(2);
    await plane.request('DELETE', `/api/v1/namespaces/${namespace}/resourcequotas/two-pods`);
    await settled(namespace, 3);
  });
});

describe('AppService on a real control plane', () => {
  it('runs three pods, names them, and follows kubectl scale, when the classic manifest is applied', async () => {
    const namespace = await plane.createNamespace('app-service');
    await kubectl(namespace, 'apply', '-f', manifestOf('appservice'));
    const path = `/apis/app.example.com/v1alpha1/namespaces/${namespace}/appservices/example-appservice`;
    const runs = (replicas: number): Promise<void> =>
      waitFor(`${replicas} pods of the service in ${namespace}`, async () => {
        const { status, metadata } = (await plane.request<PodSetBody>('GET', path)).body;
        if (status?.observedGeneration !== metadata.generation || status.readyReplicas !== replicas) return false;
        return namesOf(await podsIn(namespace)).join() === status.podNames.join();
      });
    await runs(3);
    await kubectl(namespace, 'wait', '--for=condition=Ready', '--timeout=60s', 'appservice/example-appservice');
    await kubectl(namespace, 'scale', '--replicas=1', 'appservice/example-appservice');
    await runs(1);
    expect(living(await podsIn(namespace))).toHaveLength(1);
  });
});
