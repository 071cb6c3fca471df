import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileCrd, NetworkPolicy, observationOfParent, Pod } from 'cdk8s-reconcile';
import { appliedOf, conditionOf, render } from 'cdk8s-reconcile/testing';
import { databaseAccess } from './database-access.ts';
import { dnsNames } from './dns-names.ts';
import { portal } from './portal.ts';
import { shepherd } from './shepherd.ts';
import { tenantDefaults } from './tenant-defaults.ts';
import { watchdog } from './watchdog.ts';

test('the definitions compile', () => {
  for (const kind of [portal, shepherd, watchdog, databaseAccess])
    assert.match(compileCrd(kind).metadata.name, /demo\.example\.com$/);
});

const shop = {
  metadata: { name: 'shop' },
  spec: { host: 'shop.example.com', image: 'shop:2', settingsName: 'shop' },
  related: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shop' }, data: { color: 'blue' } }],
};

test('a portal makes children of any kind', () => {
  assert.equal(
    render(portal, shop).text,
    `Portal "shop" is progressing, Migrating: the Job shop-migrate-2rpcj is under way
status:
  migrated: false
conditions:
  Migrated=Unknown JobRunning
children:
  create  Secret shop (Missing)
  create  Service shop (Missing)
  create  Ingress shop (Missing)
  create  Job shop-migrate-2rpcj (Missing)
  create  PersistentVolumeClaim shop (Missing)
`,
  );
});

test('a portal opens when its Job has succeeded', () => {
  const { object } = render(portal, shop).children.find(({ kind }) => kind === 'Job') ?? {};
  const job = { ...object, status: { succeeded: 1 } };
  const opened = render(portal, { ...shop, children: [job] });
  assert.equal(conditionOf(opened, 'Ready')?.reason, 'Open');
  assert.deepEqual(
    opened.events.map(({ reason }) => reason),
    ['Migrated'],
  );
});

test('a portal waits for its settings, and loses nothing meanwhile', () => {
  const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'shop' } };
  const { text } = render(portal, { ...shop, related: [], children: [claim] });
  assert.match(text, /is stalled, SettingsMissing: there is no ConfigMap shop\n/);
  assert.match(text, /skip +PersistentVolumeClaim shop \(PartialResult\)/);
});

const spec = { url: 'https://a.example.com/' };
const at = '2026-01-01T00:00:00.000000Z';

test('a watchdog asks, stores the answer, and asks again when the time has come', () => {
  assert.deepEqual(
    render(watchdog, { spec }).effects.map(({ key }) => key),
    ['call/1'],
  );
  const http = { 'call/1': { state: 'succeeded', value: { status: 200, body: '' }, at } } as const;
  const { status, effects } = render(watchdog, { spec, outcomes: { http } });
  assert.deepEqual([status.calls, status.answer, effects], [1, '200', []]);
  assert.equal(status.nextTime, '2026-01-01T00:01:00.000000Z');
  assert.deepEqual(render(watchdog, { spec, status, now: '2026-01-01T00:00:59Z' }).effects, []);
  assert.equal(render(watchdog, { spec, status, now: '2026-01-01T00:01:00Z' }).effects[0]?.key, 'call/2');
});

test('a watchdog that is deleted says goodbye', () => {
  const metadata = { deletionTimestamp: at };
  assert.equal(render(watchdog, { spec, metadata }).effects[0]?.key, 'goodbye');
  const http = { goodbye: { state: 'failed', reason: 'Unreachable', attempts: 3, at } } as const;
  assert.deepEqual(render(watchdog, { spec, metadata, outcomes: { http } }).effects, []);
});

const pod = (name: string, herd: string, phase: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { 'demo.example.com/herd': herd } },
  status: { phase },
});

test('a shepherd adopts, releases and removes', () => {
  const children = [pod('a', 'example', 'Running'), pod('b', 'example', 'Succeeded'), pod('c', 'other', 'Running')];
  const rendered = render(shepherd, { spec: {}, children, orphans: [pod('d', 'example', 'Running')] });
  assert.deepEqual(
    rendered.children.map(({ step, name }) => `${step} ${name}`),
    ['adopt d', 'release c', 'remove b', 'skip a'],
  );
  assert.equal(rendered.children[0]?.kind, Pod.kind);
});

const defaultsOf = (labels: Record<string, string>) => {
  const parent = { metadata: { name: 'team-a', labels } };
  const { children } = tenantDefaults.desired(observationOfParent(tenantDefaults, parent));
  return children.map(({ object }) => `${object.kind} ${object.metadata?.namespace}`);
};

test('the namespace of a team gets its defaults, and another namespace gets none', () => {
  const own = ['ResourceQuota team-a', 'LimitRange team-a', 'NetworkPolicy team-a'];
  assert.deepEqual(defaultsOf({ 'acme.io/defaults': 'on' }), own);
  const labels = { 'acme.io/defaults': 'on', 'acme.io/team': 'a' };
  assert.deepEqual(defaultsOf(labels), [...own, 'RoleBinding team-a']);
  assert.deepEqual(defaultsOf({ 'acme.io/team': 'a' }), []);
});

const ingressOf = (host: string, addresses: readonly string[]) => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name: 'shop', namespace: 'team', annotations: { 'acme.io/dns-ttl': '300' } },
  spec: { rules: [{ host: 'shop.apps.acme.io' }, { host }] },
  status: { loadBalancer: { ingress: addresses.map((ip) => ({ ip })) } },
});

test('an annotated Ingress gets a record for each of its hosts', () => {
  const parent = ingressOf('*.shop.apps.acme.io', ['192.0.2.7']);
  const { children, state } = dnsNames.desired(observationOfParent(dnsNames, parent));
  assert.equal(state.reason, 'Published');
  assert.deepEqual(
    children.map(({ object }) => [object.metadata?.name, 'data' in object && object.data]),
    [
      ['dns.shop.apps.acme.io', { name: 'shop.apps.acme.io', ttl: '300', targets: '192.0.2.7' }],
      ['dns.any.shop.apps.acme.io', { name: '*.shop.apps.acme.io', ttl: '300', targets: '192.0.2.7' }],
    ],
  );
});

const reasonOf = (parent: object) => dnsNames.desired(observationOfParent(dnsNames, parent)).state.reason;

test('an Ingress gets no record for the host of another domain, and none without the annotation', () => {
  assert.equal(reasonOf(ingressOf('bank.example.com', ['192.0.2.7'])), 'ForeignHost');
  assert.equal(reasonOf(ingressOf('b.apps.acme.io', [])), 'NoAddress');
  const { metadata, ...rest } = ingressOf('b.apps.acme.io', []);
  const plain = { ...rest, metadata: { ...metadata, annotations: {} } };
  assert.deepEqual(dnsNames.desired(observationOfParent(dnsNames, plain)).children, []);
});

test('a team reaches its own database, by a policy in another namespace', () => {
  const metadata = { name: 'orders', namespace: 'shop' };
  const opening = render(databaseAccess, { metadata, spec: { database: 'orders' } });
  const [policy] = opening.children;
  assert.match(policy?.name ?? '', /^databases\/orders-[a-z0-9]{12}$/);
  assert.equal(conditionOf(opening, 'Ready')?.reason, 'Opening');
  const [applied] = appliedOf(opening, NetworkPolicy);
  assert.equal(applied?.spec?.podSelector?.matchLabels?.['acme.io/team'], 'shop');
  const open = render(databaseAccess, {
    metadata,
    spec: { database: 'orders' },
    children: policy?.object ? [policy.object] : [],
  });
  assert.deepEqual(open.status.open, true);
  assert.deepEqual(
    open.children.map(({ step }) => step),
    ['skip'],
  );
});
