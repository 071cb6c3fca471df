import { App, Chart, Testing } from 'cdk8s';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Operator } from '#constructs/operator/operator.ts';
import { elsewhereName } from '#lib/desired/marks/elsewhere.ts';
import type { KubeObject } from '#lib/kind/handles/reference.ts';
import { createKubeClient } from '#lib/kube/client/client.ts';
import { loadCredentials } from '#lib/kube/credentials/credentials.ts';
import { systemTimers } from '#lib/kube/interface/timers.ts';
import { createSources } from '#lib/loop/source/sources.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { faultsOf, grantedBy, type RightsManifest, usedIn } from '#test/contract/rights/rights.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { BEACON_PLACES, beacon } from './beacon-kind.ts';
import { type OwnOperator, runOwnOperator, startOwnOperator } from './own-operator.ts';

const TENANT = 'tenant';
const NAME = 'own-operator';
const FINALIZER = 'demo.example.com/cdk8s-reconcile';

interface Live extends KubeObject {
  readonly metadata: NonNullable<KubeObject['metadata']> & { readonly name: string; readonly uid: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly reason: string }[] };
}

let plane: ControlPlane;
let operator: OwnOperator;
let home: string;
/** A resource whose children have the names of foreign objects. */
let foreign: Live;

const beacons = (name = ''): string => `/apis/demo.example.com/v1/namespaces/${home}/beacons${name && `/${name}`}`;
const classes = '/apis/scheduling.k8s.io/v1/priorityclasses';
const configMaps = (namespace: string, name = ''): string =>
  `/api/v1/namespaces/${namespace}/configmaps${name && `/${name}`}`;
const merge = { contentType: 'application/merge-patch+json' };

const patch = async (path: string, body: object): Promise<void> => {
  expect((await plane.request('PATCH', path, body, merge)).status).toBe(200);
};

const get = async (path: string): Promise<Live | undefined> => {
  const { status, body } = await plane.request<Live>('GET', path);
  return status === 200 ? body : undefined;
};

const put = async (name: string, spec: object = {}): Promise<Live> => {
  const object = { apiVersion: 'demo.example.com/v1', kind: 'Beacon', metadata: { name } };
  const { status, body } = await plane.request<Live>('POST', beacons(), {
    ...object,
    spec: { text: 'a', targets: [], ...spec },
  });
  expect(status).toBe(201);
  return body;
};

const nameFor = ({ metadata }: Live): string =>
  elsewhereName({ metadata: { namespace: home, name: metadata.name, uid: metadata.uid } }, metadata.name);

/** The children elsewhere of a resource: its ConfigMaps, as `<namespace>:<text>`, and its class. */
const away = async (resource: Live): Promise<readonly string[]> => {
  const name = nameFor(resource);
  const found = await Promise.all(BEACON_PLACES.map(async (namespace) => get(configMaps(namespace, name))));
  const maps = found.flatMap((map, at) => (map ? [`${BEACON_PLACES[at]}:${map.data?.['text']}`] : []));
  return [...maps, ...((await get(`${classes}/${name}`)) ? ['class'] : [])];
};

const until = async (resource: Live, expected: readonly string[]): Promise<void> =>
  waitFor(`${resource.metadata.name} to have ${expected.join(', ') || 'nothing'} elsewhere`, async () => {
    return JSON.stringify(await away(resource)) === JSON.stringify(expected);
  });

const untilGone = async (name: string): Promise<void> =>
  waitFor(`${name} to be gone`, async () => (await get(beacons(name))) === undefined);

const untilReason = async (name: string, reason: string): Promise<void> =>
  waitFor(`${name} to report ${reason}`, async () => {
    return (await get(beacons(name)))?.status?.conditions?.some((condition) => condition.reason === reason) === true;
  });

/** Makes a request as the tenant, which has all rights in its own namespace, and no others. */
const asTenant = async (args: readonly string[], object?: object): Promise<number> =>
  (
    await plane.kubectl([...args, `--kubeconfig=${plane.kubeconfigFor(TENANT)}`], {
      ...(object && { input: JSON.stringify(object) }),
    })
  ).code;

const allowTenant = async (): Promise<void> => {
  const rbac = 'rbac.authorization.k8s.io';
  const path = `/apis/${rbac}/v1/namespaces/${home}`;
  const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
  await plane.request('POST', `${path}/roles`, { metadata: { name: TENANT }, rules });
  await plane.request('POST', `${path}/rolebindings`, {
    metadata: { name: TENANT },
    roleRef: { apiGroup: rbac, kind: 'Role', name: TENANT },
    subjects: [{ apiGroup: rbac, kind: 'User', name: TENANT }],
  });
};

beforeAll(async () => {
  plane = await startControlPlane({ scheduler: false, kwok: false, users: [{ name: TENANT }] });
  for (const name of BEACON_PLACES) await plane.request('POST', '/api/v1/namespaces', { metadata: { name } });
  home = await plane.createNamespace('team');
  await allowTenant();
  operator = await startOwnOperator(plane, [beacon]);
});

afterAll(async () => {
  await operator?.stop();
  await plane?.stop();
});

describe('children elsewhere on a real API server', () => {
  it('come, change, come back and go with their resource', async () => {
    const resource = await put('life', { targets: [...BEACON_PLACES], priority: 5 });
    await until(resource, ['monitoring:a', 'logging:a', '2026-logs:a', 'class']);
    expect((await get(beacons('life')))?.metadata.finalizers).toEqual([FINALIZER]);
    await patch(beacons('life'), { spec: { text: 'b' } });
    await until(resource, ['monitoring:b', 'logging:b', '2026-logs:b', 'class']);
    await patch(beacons('life'), { spec: { targets: ['monitoring', 'logging'] } });
    await until(resource, ['monitoring:b', 'logging:b', 'class']);
    await patch(configMaps('monitoring', nameFor(resource)), { data: { text: 'x' } });
    await plane.request('DELETE', configMaps('logging', nameFor(resource)));
    await until(resource, ['monitoring:b', 'logging:b', 'class']);
    await patch(beacons('life'), { spec: { targets: ['logging'] } });
    await until(resource, ['logging:b', 'class']);
    await plane.request('DELETE', beacons('life'));
    await until(resource, []);
    await untilGone('life');
  });

  it('are created after a crash between the finalizer and the first create', async () => {
    await operator.stop();
    const resource = await put('crash', { targets: ['monitoring'] });
    await patch(beacons('crash'), { metadata: { finalizers: [FINALIZER] } });
    operator = await runOwnOperator(plane, [beacon], {});
    await until(resource, ['monitoring:a']);
    expect((await get(beacons('crash')))?.metadata.finalizers).toEqual([FINALIZER]);
  });

  it('leave objects without their marks alone, also those with their names', async () => {
    foreign = await put('foreign');
    const metadata = { name: nameFor(foreign) };
    for (const namespace of BEACON_PLACES)
      await plane.request('POST', configMaps(namespace), { metadata, data: { text: 'foreign' } });
    await plane.request('POST', classes, { metadata, value: 7 });
    await patch(beacons('foreign'), { spec: { targets: [...BEACON_PLACES], priority: 5 } });
    await untilReason('foreign', 'NameConflict');
    expect(await away(foreign)).toEqual(['monitoring:foreign', 'logging:foreign', '2026-logs:foreign', 'class']);
  });
});

describe('a tenant with all rights in its own namespace alone', () => {
  const spec = { text: 'a', targets: ['monitoring'] };
  const manifest = (name: string) => ({
    apiVersion: 'demo.example.com/v1',
    kind: 'Beacon',
    metadata: { name, namespace: home },
    spec,
  });

  it.each([
    { name: 'a-place', more: { targets: ['kube-system'] } },
    { name: 'a-name', more: { name: 'grafana' } },
  ])('cannot have the operator write elsewhere than the definition allows: $more', async ({ name, more }) => {
    await plane.request('POST', configMaps('monitoring'), { metadata: { name: 'grafana' }, data: { text: 'theirs' } });
    expect(await asTenant(['create', '-f', '-'], { ...manifest(name), spec: { ...spec, ...more } })).toBe(0);
    await untilReason(name, 'InvalidDesired');
    expect((await get(configMaps('monitoring', 'grafana')))?.data).toEqual({ text: 'theirs' });
    expect(await get(configMaps('kube-system', name))).toBeUndefined();
  });

  it('has no children of another resource by forged marks in its own namespace', async () => {
    const resource = await put('target', { targets: ['monitoring'] });
    await until(resource, ['monitoring:a']);
    const marks = {
      labels: { 'cdk8s-reconcile/elsewhere': resource.metadata.uid },
      annotations: { 'cdk8s-reconcile/parent': `demo.example.com/beacon demo.example.com/v1 Beacon ${home}/target` },
    };
    const copy = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: nameFor(resource), namespace: home, ...marks },
    };
    expect(await asTenant(['create', '-f', '-'], copy)).toBe(0);
    expect(
      await asTenant([
        'annotate',
        '-n',
        home,
        'beacon/target',
        'cdk8s-reconcile/parent=x',
        'cdk8s-reconcile/elsewhere=y',
      ]),
    ).toBe(0);
    expect(await asTenant(['label', '-n', home, 'beacon/target', 'cdk8s-reconcile/elsewhere=y'])).toBe(0);
    await patch(beacons('target'), { spec: { text: 'b' } });
    await until(resource, ['monitoring:b']);
    expect(await get(configMaps(home, nameFor(resource)))).toBeDefined();
  });

  it('leaves no children behind: neither without the finalizer, nor with a second resource of the same name', async () => {
    const escaped = await put('escape', { targets: ['monitoring'], priority: 5 });
    await until(escaped, ['monitoring:a', 'class']);
    await operator.stop();
    const bare = ['patch', '-n', home, 'beacon/escape', '--type=merge', '-p', '{"metadata":{"finalizers":null}}'];
    expect(await asTenant(bare)).toBe(0);
    expect(await asTenant(['delete', '-n', home, 'beacon/escape', '--wait=false'])).toBe(0);
    expect(await asTenant(['create', '-f', '-'], manifest('escape'))).toBe(0);
    operator = await runOwnOperator(plane, [beacon], {});
    await until(escaped, []);
    const next = await get(beacons('escape'));
    expect(next?.metadata.uid).not.toBe(escaped.metadata.uid);
    await until(next as Live, ['monitoring:a']);
  });

  it('with rights to change objects elsewhere, cannot have the operator delete them', async () => {
    const resource = await put('bait', { targets: [] });
    const marks = {
      labels: { 'cdk8s-reconcile/elsewhere': resource.metadata.uid },
      annotations: { 'cdk8s-reconcile/parent': `demo.example.com/beacon demo.example.com/v1 Beacon ${home}/bait` },
    };
    await patch(configMaps('monitoring', 'grafana'), { metadata: marks });
    await patch(beacons('bait'), { spec: { targets: ['monitoring'] } });
    await until(resource, ['monitoring:a']);
    await plane.request('DELETE', beacons('bait'));
    await untilGone('bait');
    expect((await get(configMaps('monitoring', 'grafana')))?.data).toEqual({ text: 'theirs' });
  });

  it('leaves no children behind with --cascade=orphan', async () => {
    const resource = await put('orphan', { targets: ['logging'] });
    await until(resource, ['logging:a']);
    expect(await asTenant(['delete', '-n', home, 'beacon/orphan', '--cascade=orphan', '--wait=false'])).toBe(0);
    // In place of the garbage collector, which takes up to 30 s to find a new kind.
    await patch(beacons('orphan'), { metadata: { finalizers: [FINALIZER] } });
    await until(resource, []);
    await untilGone('orphan');
  });
});

const isElsewhere = (namespace: string): boolean => BEACON_PLACES.some((place) => place === namespace);

/** Lists the kinds of all children in the cluster. The operator does so only if the API server does not support watch-lists. */
const listInstead = async (): Promise<void> => {
  const env = { KUBECONFIG: await plane.serviceAccountKubeconfig(NAME, NAME) };
  const api = createKubeClient(await loadCredentials({ env }));
  const around = { api, timers: systemTimers, random: Math.random, log: createLogger('silent'), watchLists: false };
  const sources = createSources([beacon], around);
  sources.start();
  expect(await sources.synced()).toBe(true);
  await sources.stop();
  await api.close();
};

describe('the rights of an operator with children elsewhere', () => {
  it('are exactly those that it uses', async () => {
    const chart = new Chart(new App(), 'chart');
    // oxlint-disable-next-line no-new -- a construct belongs to its chart
    new Operator(chart, 'operator', { kinds: [beacon], image: 'own:1', name: NAME });
    const manifests = (Testing.synth(chart) as RightsManifest[]).filter(
      ({ metadata }) => metadata.name !== `${NAME}-leader-election`,
    );
    await listInstead();
    let faults: readonly string[] = [];
    // The conflict of "foreign" is reported a second time after a while.
    await waitFor('all rights to be used', async () => {
      const entries = await plane.auditEntries({ user: `system:serviceaccount:${NAME}:${NAME}` });
      const used = usedIn(entries, ({ namespace }) => ({ namespace: isElsewhere(namespace) }));
      faults = faultsOf(grantedBy(manifests), used);
      return faults.length === 0;
    }).catch(() => undefined);
    expect(faults).toEqual([]);
    expect(await operator.forbidden()).toEqual([]);
  });

  it('let resources go when a namespace of their children is gone, and concern no other resources', async () => {
    const both = await put('both', { targets: ['monitoring', 'logging'] });
    await until(both, ['monitoring:a', 'logging:a']);
    await plane.request('DELETE', '/api/v1/namespaces/logging');
    await waitFor('the namespace to be gone', async () => (await get('/api/v1/namespaces/logging')) === undefined);
    const other = await put('other', { targets: ['monitoring'] });
    await until(other, ['monitoring:a']);
    await untilReason('other', 'Lit');
    for (const name of ['both', 'foreign']) await plane.request('DELETE', beacons(name));
    await until(both, []);
    await untilGone('both');
    await untilGone('foreign');
    expect((await get(configMaps('monitoring', nameFor(foreign))))?.data).toEqual({ text: 'foreign' });
  });
});
