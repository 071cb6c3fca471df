import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError } from '#lib/errors.ts';
import { createKubeClient, type KubeClient } from '#lib/kube/client/client.ts';
import { loadCredentials } from '#lib/kube/credentials/credentials.ts';
import type { ApiObject, WatchEvent } from '#lib/kube/interface/api.ts';
import { systemTimers } from '#lib/kube/interface/timers.ts';
import { startReflector } from '#lib/kube/reflector/reflector.ts';
import { tokenOf } from '#test/bench/ground/as-in-pod.ts';
import { describeKubeApi } from '#test/contract/kube-api.ts';
import { describeMetricsAuthentication } from '#test/contract/metrics-authentication.ts';
import { describeRefusals } from '#test/contract/refusals.ts';
import { shelves, shelvesCrd } from '#test/contract/shelves.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { hasWatchLists } from '#test/control-plane/features.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { chosenKubeModule } from '#test/control-plane/recipe.ts';

const pods = { apiVersion: 'v1', kind: 'Pod', plural: 'pods', scope: 'Namespaced' } as const;
const nodes = { apiVersion: 'v1', kind: 'Node', plural: 'nodes', scope: 'Cluster' } as const;
const pod = (name: string, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'main', image: 'busybox' }], ...spec },
});

let plane: ControlPlane;
let client: KubeClient;
let server: { readonly ca: string; readonly token: string };

const connect = async (kubeconfig: string): Promise<KubeClient> =>
  createKubeClient(await loadCredentials({ env: { KUBECONFIG: kubeconfig } }));

beforeAll(async () => {
  plane = await startControlPlane({ scheduler: false, kwok: false });
  await plane.kubectl(['apply', '-f', '-'], { input: JSON.stringify(shelvesCrd) });
  await plane.kubectl(['wait', '--for=condition=Established', `crd/${shelvesCrd.metadata.name}`]);
  client = await connect(plane.kubeconfig);
  server = { ca: await readFile(plane.access.caFile, 'utf8'), token: await tokenOf(plane.kubeconfig) };
});

afterAll(async () => {
  await client?.close();
  await plane?.stop();
});

describeKubeApi(
  'a real API server',
  async () => ({
    api: client,
    createNamespace: async () => plane.createNamespace('contract'),
    stop: async () => {},
  }),
  { watchLists: hasWatchLists() },
);

// The expected messages are those of one version of Kubernetes, which the embedded cluster has, too.
if (chosenKubeModule() === 'kube') describeRefusals('a real API server', () => ({ ...server, url: plane.url }));

describeMetricsAuthentication('a real API server', () => ({ ...server, url: plane.url }));

const refusal = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    return await promise;
  } catch (error) {
    return error;
  }
};

describe('createKubeClient on a real API server', () => {
  it('list() completes items of built-in kinds when the server leaves out their kind', async () => {
    const namespace = await plane.createNamespace('client');
    await client.create(pods, pod('a'), { namespace, fieldManager: 'test' });
    const { items } = await client.list(pods, { namespace });
    expect(items.map(({ apiVersion, kind }) => [apiVersion, kind])).toEqual([['v1', 'Pod']]);
  });

  it('watch() ends regularly with a bookmark that a watch can resume from when its time is over', async () => {
    const namespace = await plane.createNamespace('client');
    const { resourceVersion } = await client.list(pods, { namespace });
    const other = await plane.createNamespace('client');
    let events: WatchEvent[] = [];
    const { signal } = new AbortController();
    const options = { namespace, resourceVersion, timeoutSeconds: 5, signal };
    const watched = async (name: string): Promise<ApiObject> => {
      events = [];
      const watch = client.watch(pods, options, (event) => events.push(event));
      const made = await client.create(pods, pod(name), { namespace: other, fieldManager: 'test' });
      await watch;
      return made;
    };
    // The server sends a bookmark 2 s before the end only if the resource changed elsewhere before, and not reliably on
    // a busy machine.
    let created = await watched('elsewhere');
    for (let time = 2; events.length === 0 && time <= 10; time += 1) created = await watched(`elsewhere-${time}`);
    const [bookmark] = events;
    expect(bookmark?.type).toBe('BOOKMARK');
    const reached = bookmark?.type === 'BOOKMARK' ? bookmark.resourceVersion : '';
    expect(Number(reached)).toBeGreaterThanOrEqual(Number(created.metadata.resourceVersion));
    const abort = new AbortController();
    await client.create(pods, pod('here'), { namespace, fieldManager: 'test' });
    const resumed: WatchEvent[] = [];
    await client.watch(
      pods,
      { namespace, resourceVersion: reached, timeoutSeconds: 60, signal: abort.signal },
      (event) => {
        resumed.push(event);
        abort.abort();
      },
    );
    expect(resumed).toMatchObject([{ type: 'ADDED', object: { kind: 'Pod', metadata: { name: 'here' } } }]);
  });

  it('delete() distinguishes a pod that is gone from one that terminates when its answer has a deletionTimestamp', async () => {
    const namespace = await plane.createNamespace('client');
    const options = { namespace, fieldManager: 'test' };
    const pending = await client.create(pods, pod('pending'), options);
    const running = await client.create(pods, pod('running', { nodeName: 'nowhere' }), options);
    const killed = await client.create(pods, pod('killed', { nodeName: 'nowhere' }), options);
    const remove = (target: ApiObject, more: { gracePeriodSeconds?: number } = {}) =>
      client.delete(pods, { namespace, name: target.metadata.name }, { uid: target.metadata.uid, ...more });
    expect(await remove(pending)).toBeUndefined();
    expect(await remove(running)).toMatchObject({ metadata: { name: 'running', deletionGracePeriodSeconds: 30 } });
    expect(await remove(killed, { gracePeriodSeconds: 0 })).toBeUndefined();
    expect((await client.list(pods, { namespace })).items.map((item) => item.metadata.name)).toEqual(['running']);
  });

  it('create() rejects when the object has an unknown field', async () => {
    const namespace = await plane.createNamespace('client');
    const creation = client.create(pods, pod('a', { restartPolice: 'Never' }), { namespace, fieldManager: 'test' });
    const error = await refusal(creation);
    expect(error).toMatchObject({ httpStatus: 400, code: 'BadRequest' });
    expect(String(error)).toContain('restartPolice');
  });

  it('get() and delete() reach cluster-scoped objects', async () => {
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'client-node' } };
    const { metadata } = await client.create(nodes, node, { fieldManager: 'test' });
    expect(await client.get(nodes, { name: 'client-node' })).toMatchObject({ kind: 'Node' });
    expect(await client.delete(nodes, { name: 'client-node' }, { uid: metadata.uid })).toBeUndefined();
  });

  it('list() rejects with 403 for a service account without rights, and with 401 for a token that is none', async () => {
    const namespace = await plane.createNamespace('client');
    const poor = await connect(await plane.serviceAccountKubeconfig(namespace, 'default'));
    expect(await refusal(poor.list(pods, { namespace }))).toMatchObject({ httpStatus: 403, code: 'Forbidden' });
    await poor.close();
    const nobody = createKubeClient({
      ...(await loadCredentials({ env: { KUBECONFIG: plane.kubeconfig } })),
      server: plane.url,
      namespace: 'default',
      source: 'test',
      authenticate: async () => ({ headers: { authorization: 'Bearer wrong' }, tls: { rejectUnauthorized: false } }),
      renew: async () => {},
    });
    const error = await refusal(nobody.list(pods));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ httpStatus: 401, code: 'Unauthorized' });
    await nobody.close();
  });

  it('loadCredentials() finds its way as a pod does when it has a mounted service account', async () => {
    const namespace = await plane.createNamespace('client');
    const { hostname, port } = new URL(plane.url);
    const { body } = await plane.request<{ status: { token: string } }>(
      'POST',
      `/api/v1/namespaces/${namespace}/serviceaccounts/default/token`,
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    );
    const dir = plane.access.folder;
    await writeFile(join(dir, 'token'), body.status.token);
    await writeFile(join(dir, 'namespace'), namespace);
    await copyFile(plane.access.caFile, join(dir, 'ca.crt'));
    const env = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
    const credentials = await loadCredentials({ env, serviceAccountDir: dir });
    const inPod = createKubeClient(credentials);
    expect(credentials.namespace).toBe(namespace);
    const error = await refusal(inPod.list(pods, { namespace }));
    expect(error).toMatchObject({ httpStatus: 403 });
    expect(String(error)).toContain(`system:serviceaccount:${namespace}:default`);
    await inPod.close();
  });
});

describe('startReflector on a real API server', () => {
  it('startReflector() keeps a store equal to the server when objects come, change and go', async () => {
    const namespace = await plane.createNamespace('reflector');
    const options = { namespace, fieldManager: 'test' };
    const { apiVersion, kind } = shelves;
    const make = async (name: string) => client.create(shelves, { apiVersion, kind, metadata: { name } }, options);
    for (const name of ['a', 'b', 'c']) await make(name);
    const store = new Map<string, ApiObject>();
    const errors: unknown[] = [];
    const reflector = startReflector({
      api: client,
      resource: shelves,
      namespace,
      pageSize: 2,
      timers: systemTimers,
      random: Math.random,
      onError: (error) => errors.push(error),
      sink: {
        replace: (items) => items.forEach((item) => store.set(item.metadata.name, item)),
        event: (event) => {
          if (event.type === 'BOOKMARK') return;
          if (event.type === 'DELETED') store.delete(event.object.metadata.name);
          else store.set(event.object.metadata.name, event.object);
        },
      },
    });
    expect(await reflector.synced).toBe(true);
    expect([...store.keys()]).toEqual(['a', 'b', 'c']);
    await make('d');
    await client.patchStatus(shelves, { namespace, name: 'a' }, { status: { seen: true } }, { fieldManager: 'test' });
    const { metadata } = await client.get(shelves, { namespace, name: 'b' });
    await client.delete(shelves, { namespace, name: 'b' }, { uid: metadata.uid });
    await waitFor('the deletion to arrive', async () => !store.has('b'));
    expect([...store.keys()].toSorted()).toEqual(['a', 'c', 'd']);
    expect(store.get('a')?.['status']).toEqual({ seen: true });
    await reflector.stop();
    expect(errors).toEqual([]);
  });
});
