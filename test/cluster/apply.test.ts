import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AnyKindDefinition, defineKind } from '#lib/desired/definition.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { compileCrd } from '#lib/kind/crd.ts';
import {
  ConfigMap,
  Deployment,
  type KindRef,
  type KubeObject,
  Pod,
  Service,
  StatefulSet,
} from '#lib/kind/handles/reference.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { createKubeClient, type KubeClient } from '#lib/kube/client/client.ts';
import { loadCredentials } from '#lib/kube/credentials/credentials.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';
import { systemTimers } from '#lib/kube/interface/timers.ts';
import { type Manager, startManager } from '#lib/loop/manager/manager.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { Widget, widgetsCrd } from '#test/contract/pinning/widgets.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { hasWatchLists } from '#test/control-plane/features.ts';
import { waitFor } from '#test/control-plane/poll.ts';

interface Content {
  readonly image: string;
  readonly data: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly size: number;
}

const childrenOf = (name: string, { image, data, labels, size }: Content): KubeObject[] => {
  const metadata = { name, labels };
  const selector = { app: name };
  const pods = { containers: [{ name: 'main', image, resources: { requests: { cpu: '1000m' } } }] };
  const template = { metadata: { labels: selector }, spec: pods };
  const workload = { replicas: 0, selector: { matchLabels: selector }, template };
  const all: (KubeObject & Readonly<Record<string, unknown>>)[] = [
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: workload },
    { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata, spec: { ...workload, serviceName: name } },
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector, ports: [{ name: 'http', port: 80 }] } },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data },
    { apiVersion: Widget.apiVersion, kind: 'Widget', metadata, spec: { size, parts: [{ name: 'a' }], words: [] } },
    { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [{ name: 'main', image }] } },
  ];
  return all;
};

/** A kind with children of every sort. The loop creates one of them, the pod, with POST, and the others with apply. */
const wardrobe: AnyKindDefinition = defineKind({
  group: 'pinning.example.com',
  version: 'v1',
  kind: 'Wardrobe',
  spec: s.object({ content: s.unsafe<Content>({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }) }),
  status: s.object({}),
  owns: [Deployment, StatefulSet, Service, ConfigMap, Widget, Pod],
  desired: ({ resource }) => ({
    children: childrenOf(resource.metadata.name, resource.spec.content).map((object) => apply(object)),
    status: {},
    state: ready('Complete', 'all declared'),
  }),
});

const Wardrobe: KindRef = {
  apiVersion: 'pinning.example.com/v1',
  kind: 'Wardrobe',
  plural: 'wardrobes',
  scope: 'Namespaced',
};

const content: Content = { image: 'busybox:1', data: { a: '1', b: '1' }, labels: { gone: 'x', kept: 'x' }, size: 1 };

/** Time in which no request may be sent at rest. */
const REST_MS = 2000;

let plane: ControlPlane;
let client: KubeClient;
let manager: Manager;
let namespace: string;
const sent: string[] = [];

const note = (verb: string, { plural }: { readonly plural: string }): void => void sent.push(`${verb} ${plural}`);

/** Wraps the client and records the requests of the loop. */
const counted = (api: KubeApi): KubeApi => ({
  watch: async (kind, ...rest) => api.watch(kind, ...rest),
  list: async (kind, ...rest) => {
    note('list', kind);
    return api.list(kind, ...rest);
  },
  get: async (kind, ...rest) => {
    note('get', kind);
    return api.get(kind, ...rest);
  },
  create: async (kind, ...rest) => {
    note('create', kind);
    return api.create(kind, ...rest);
  },
  apply: async (kind, ...rest) => {
    note('apply', kind);
    return api.apply(kind, ...rest);
  },
  patch: async (kind, ...rest) => {
    note('patch', kind);
    return api.patch(kind, ...rest);
  },
  patchStatus: async (kind, ...rest) => {
    note('patchStatus', kind);
    return api.patchStatus(kind, ...rest);
  },
  delete: async (kind, ...rest) => {
    note('delete', kind);
    return api.delete(kind, ...rest);
  },
});

const startLoop = async (): Promise<void> => {
  const api = counted(client);
  const log = createLogger('silent');
  manager = startManager({ kinds: [wardrobe], api, timers: systemTimers, random: Math.random, log });
  await manager.started;
  // Work begins before the quotas are listed.
  if (!hasWatchLists()) await waitFor('the quotas to be listed', async () => sent.includes('list resourcequotas'));
};

// Without controllers only the loop and the test write.
beforeAll(async () => {
  plane = await startControlPlane({ controllers: false, scheduler: false, kwok: false });
  for (const crd of [widgetsCrd, compileCrd(wardrobe)])
    await plane.kubectl(['apply', '-f', '-'], { input: JSON.stringify(crd) });
  await plane.kubectl(['wait', '--for=condition=Established', '--timeout=180s', 'crd', '--all']);
  client = createKubeClient(await loadCredentials({ env: { KUBECONFIG: plane.kubeconfig } }));
  namespace = await plane.createNamespace('apply');
  // Without this account no pod is admitted, and no controller runs that would create it.
  await plane.kubectl(['create', 'serviceaccount', 'default', '--namespace', namespace]);
  await startLoop();
});

afterAll(async () => {
  await manager?.stop();
  await client?.close();
  await plane?.stop();
});

type Live = KubeObject & {
  readonly status?: { readonly observedGeneration?: number };
  readonly metadata: NonNullable<KubeObject['metadata']>;
  readonly spec?: unknown;
  readonly data?: unknown;
};

const get = async (kind: KindRef, name = 'w'): Promise<Live> => client.get(kind, { namespace, name });

const declare = async (next: Content): Promise<void> => {
  const object = {
    apiVersion: Wardrobe.apiVersion,
    kind: 'Wardrobe',
    metadata: { name: 'w' },
    spec: { content: next },
  };
  const options = { fieldManager: 'user', force: true };
  const { metadata } = (await client.apply(Wardrobe, { namespace, name: 'w' }, object, options)) as unknown as Live;
  await waitFor('the status to follow', async () => {
    const { status } = await get(Wardrobe);
    return status?.observedGeneration === metadata.generation;
  });
};

const edit = async (kind: KindRef, patch: object): Promise<void> =>
  void (await client.patch(kind, { namespace, name: 'w' }, patch, { type: 'merge', fieldManager: 'kubectl-edit' }));

const rest = async (): Promise<void> => new Promise((resolve) => setTimeout(resolve, REST_MS));

/** Returns the requests that the loop sent during an action. */
const sentDuring = async (act: () => Promise<void>): Promise<string[]> => {
  sent.length = 0;
  await act();
  await rest();
  return sent.toSorted();
};

describe('children that change, on a real API server', () => {
  it('are created by one request each, and the status follows (G1)', async () => {
    expect(await sentDuring(async () => declare(content))).toEqual([
      'apply configmaps',
      'apply deployments',
      'apply services',
      'apply statefulsets',
      'apply widgets',
      'create pods',
      'patchStatus wardrobes',
    ]);
  });

  it('change by one request each, and only those that change (G4)', async () => {
    const next = { ...content, data: { a: '2' }, size: 2 };
    const requests = await sentDuring(async () => declare(next));
    expect(requests).toEqual(['apply configmaps', 'apply widgets', 'patchStatus wardrobes']);
    expect((await get(ConfigMap)).data).toEqual({ a: '2' });
    expect((await get(Widget)).spec).toMatchObject({ size: 2, mode: 'auto' });
  });

  it('lose labels that are not wanted any more, those created once included, by one request each (G4)', async () => {
    const uid = (await get(Pod)).metadata.uid;
    const next = { ...content, image: 'busybox:2', labels: { kept: 'y' } };
    const requests = await sentDuring(async () => declare(next));
    expect(requests).toEqual([
      'apply configmaps',
      'apply deployments',
      'apply services',
      'apply statefulsets',
      'apply widgets',
      'patch pods',
      'patchStatus wardrobes',
    ]);
    for (const kind of wardrobe.owns) {
      const { labels } = (await get(kind)).metadata;
      expect(labels).toEqual({ kept: 'y', 'pinning.example.com/wardrobe': 'w' });
    }
    expect(await get(Pod)).toMatchObject({ metadata: { uid }, spec: { containers: [{ image: 'busybox:2' }] } });
  });

  it('are restored when another writer changes owned fields, and only then', async () => {
    const restored = await sentDuring(async () => {
      await edit(Deployment, { spec: { replicas: 5 }, metadata: { labels: { kept: null } } });
      await edit(ConfigMap, { data: { a: 'theirs' } });
      await waitFor('the Deployment', async () =>
        JSON.stringify((await get(Deployment)).spec).includes('"replicas":0'),
      );
      await waitFor('the ConfigMap', async () => JSON.stringify((await get(ConfigMap)).data).includes('"a":"1"'));
    });
    expect(new Set(restored)).toEqual(new Set(['apply configmaps', 'apply deployments']));
    expect((await get(Deployment)).metadata.labels).toMatchObject({ kept: 'y' });
    const untouched = await sentDuring(async () => {
      await edit(ConfigMap, { data: { theirs: '1' } });
      await edit(Service, { metadata: { annotations: { theirs: '1' } } });
      await edit(Deployment, { spec: { minReadySeconds: 5 } });
    });
    expect(untouched).toEqual([]);
  });

  it('cost nothing at rest (G2)', async () => {
    expect(await sentDuring(rest)).toEqual([]);
  });

  it('cost nothing but lists when the loop is started anew (G3)', async () => {
    const requests = await sentDuring(async () => {
      await manager.stop();
      await startLoop();
    });
    // With watch-list support the watches contain the objects of the lists.
    expect(requests.filter((request) => !request.startsWith('list'))).toEqual([]);
  });

  it('are restored when they were changed while no loop was running', async () => {
    await manager.stop();
    await edit(StatefulSet, { spec: { replicas: 3 } });
    await edit(Widget, { spec: { size: 9 } });
    const requests = await sentDuring(async () => {
      await startLoop();
      await waitFor('the StatefulSet', async () =>
        JSON.stringify((await get(StatefulSet)).spec).includes('"replicas":0'),
      );
      await waitFor('the Widget', async () => JSON.stringify((await get(Widget)).spec).includes('"size":1'));
    });
    expect(requests.filter((request) => !request.startsWith('list'))).toEqual(['apply statefulsets', 'apply widgets']);
    expect((await get(StatefulSet)).spec).toMatchObject({ replicas: 0 });
    expect((await get(Widget)).spec).toMatchObject({ size: 1 });
  });

  it('are refused with the problem when an apply does not fit the schema', async () => {
    const unknown = client.apply(
      Widget,
      { namespace, name: 'x' },
      {
        apiVersion: Widget.apiVersion,
        kind: 'Widget',
        metadata: { name: 'x' },
        spec: { parts: [{ name: 'a' }, { name: 'a' }] },
      },
      { fieldManager: 'test', force: true },
    );
    await expect(unknown).rejects.toMatchObject({
      httpStatus: 500,
      serverMessage: expect.stringContaining('failed to create typed patch object') as unknown,
    });
  });
});
