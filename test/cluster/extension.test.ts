import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { extendKind } from '#lib/desired/extension/extend-kind.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { Namespace } from '#lib/kind/handles/built-in-handles.ts';
import { ConfigMap, Deployment, type KubeObject, type OwnerReference } from '#lib/kind/handles/reference.ts';
import type { AuditEntry } from '#test/control-plane/audit.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { dnsNames } from '#test/examples/authors/dns-names.ts';
import { tenantDefaults } from '#test/examples/authors/tenant-defaults.ts';
import { type OwnOperator, runOwnOperator, startOwnOperator } from './own-operator.ts';

/** How long no request may be sent at rest. */
const REST_MS = 5000;

const USER = 'system:serviceaccount:own-operator:own-operator';
const MARK = 'platform.acme.io/tenant-defaults';
const ON = { 'acme.io/defaults': 'on', 'acme.io/team': 'a' };

const note = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

/** An extension of a kind with a controller of its own, which reports in its conditions. */
const releaseNotes = extendKind({
  of: Deployment,
  fields: ['spec.replicas'],
  name: 'release-notes',
  group: 'platform.acme.io',
  where: { labels: { 'acme.io/notes': 'on' } },
  owns: [ConfigMap],
  condition: { type: 'NotesWritten' },
  desired: ({ resource: { metadata, spec } }) => ({
    children: [apply({ ...note(`${metadata.name}-notes`), data: { replicas: String(spec?.replicas) } })],
    state: ready('Written', 'the notes are written'),
  }),
});

/** A later version of the defaults, which selects no namespace of the tests. */
const choosy = extendKind({
  of: Namespace,
  fields: [],
  name: 'tenant-defaults',
  group: 'platform.acme.io',
  where: { labels: { 'acme.io/defaults': 'always' } },
  owns: tenantDefaults.owns,
  annotation: true,
  desired: () => ({ children: [], state: ready('Configured', 'the namespace has its defaults') }),
});

/** An extension of the same kind, in another operator. */
const otherNotes = extendKind({
  of: Deployment,
  fields: [],
  name: 'other-notes',
  group: 'other.acme.io',
  where: { labels: { 'acme.io/notes': 'on' } },
  owns: [ConfigMap],
  desired: ({ resource: { metadata } }) => ({
    children: [apply(note(`${metadata.name}-other`))],
    state: ready('Written', 'the notes are written'),
  }),
});

/** An extension of a kind that the server does not know. */
const lost = extendKind({
  of: { apiVersion: 'nowhere.example.com/v1', kind: 'Nothing', plural: 'nothings', scope: 'Namespaced' },
  name: 'lost',
  group: 'platform.acme.io',
  owns: [ConfigMap],
  desired: () => ({ children: [], state: ready('Done', 'done') }),
});

const kinds = [tenantDefaults, releaseNotes, dnsNames, lost];

let plane: ControlPlane;
let operator: OwnOperator;
let apps: string;

const start = async (): Promise<OwnOperator> =>
  startOwnOperator(plane, kinds, { grants: { bind: ['ClusterRole/edit'] } });

beforeAll(async () => {
  plane = await startControlPlane();
  operator = await start();
  apps = await plane.createNamespace('apps');
});

afterAll(async () => {
  await operator?.stop();
  await plane?.stop();
});

interface Live extends KubeObject {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
  readonly data?: Readonly<Record<string, string>>;
}

const get = async (path: string): Promise<Live | undefined> => {
  const { status, body } = await plane.request<Live>('GET', path);
  return status === 200 ? body : undefined;
};

const defaultsIn = (namespace: string): readonly string[] => [
  `/api/v1/namespaces/${namespace}/resourcequotas/tenant-defaults`,
  `/api/v1/namespaces/${namespace}/limitranges/tenant-defaults`,
  `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies/tenant-defaults`,
  `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings/tenant-defaults`,
];

const countOf = async (paths: readonly string[]): Promise<number> =>
  (await Promise.all(paths.map(get))).filter((object) => object !== undefined).length;

const patch = async (path: string, body: object): Promise<void> => {
  await plane.request('PATCH', path, body, { contentType: 'application/merge-patch+json' });
};

const annotationsOf = async (namespace: string): Promise<Readonly<Record<string, string>>> =>
  (await get(`/api/v1/namespaces/${namespace}`))?.metadata?.annotations ?? {};

/** The requests of the operator during an action and for a while after it, without watches and events. */
const sentDuring = async (act: () => Promise<unknown>): Promise<readonly string[]> => {
  const before = new Set((await plane.auditEntries({ user: USER })).map(({ auditID }) => auditID));
  await act();
  await wait(REST_MS);
  const isCounted = ({ auditID, verb, resource }: AuditEntry): boolean =>
    !before.has(auditID) && verb !== 'watch' && resource !== 'events' && resource !== 'nothings';
  const sent = (await plane.auditEntries({ user: USER })).filter(isCounted);
  return sent.map(({ verb, resource, subresource }) => `${verb} ${resource}${subresource && `/${subresource}`}`);
};

const deploymentsOf = (namespace: string): string => `/apis/apps/v1/namespaces/${namespace}/deployments`;
const deployments = (): string => deploymentsOf(apps);
const noteOf = (namespace: string, name: string): string => `/api/v1/namespaces/${namespace}/configmaps/${name}`;
const notes = (name: string): string => noteOf(apps, `${name}-notes`);

const isHeld = async (team: string): Promise<boolean> =>
  (await annotationsOf(team))[MARK] === 'Stalled: ReleaseNeedsConsent';

const deploymentOf = (name: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, labels: { 'acme.io/notes': 'on' } },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'c:1' }] } },
  },
});

const ingress = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name: 'shop', annotations: { 'acme.io/dns-ttl': '300' } },
  spec: {
    rules: [
      {
        host: 'shop.apps.acme.io',
        http: {
          paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'shop', port: { number: 80 } } } }],
        },
      },
    ],
  },
};

const addressed = { status: { loadBalancer: { ingress: [{ ip: '192.0.2.7' }] } } };

const ownersOf = async (path: string): Promise<readonly OwnerReference[]> =>
  (await get(path))?.metadata?.ownerReferences ?? [];

const conditionOf = async (name: string) =>
  (await get(`${deployments()}/${name}`))?.status?.conditions?.find(({ type }) => type === 'NotesWritten');

describe('an extension of an existing kind on a real API server', () => {
  it('gives each selected namespace its defaults, with one request for each child and one for the report', async () => {
    let team = '';
    const sent = await sentDuring(async () => {
      team = await plane.createNamespace('team', ON);
      await waitFor('the report', async () => (await annotationsOf(team))[MARK] === 'Ready: Configured');
    });
    expect(sent.toSorted()).toEqual([
      'patch limitranges',
      'patch namespaces',
      'patch networkpolicies',
      'patch resourcequotas',
      'patch rolebindings',
    ]);
    const uid = (await get(`/api/v1/namespaces/${team}`))?.metadata?.uid;
    for (const path of defaultsIn(team)) {
      expect(await ownersOf(path)).toEqual([{ apiVersion: 'v1', kind: 'Namespace', name: team, uid }]);
      expect((await get(path))?.metadata?.labels).toEqual({ [MARK]: uid });
    }
    expect(await countOf(defaultsIn(apps))).toBe(0);
  });

  it('sends nothing at rest, and only lists after a restart', async () => {
    expect(await sentDuring(async () => undefined)).toEqual([]);
    const sent = await sentDuring(async () => {
      await operator.stop();
      operator = await start();
    });
    expect(sent.filter((request) => !request.startsWith('list'))).toEqual([]);
  });

  it('removes the children and its report when a namespace stops matching', async () => {
    const team = await plane.createNamespace('team', ON);
    await waitFor('the defaults', async () => (await countOf(defaultsIn(team))) === 4);
    await waitFor('the report', async () => (await annotationsOf(team))[MARK] !== undefined);
    await patch(`/api/v1/namespaces/${team}`, { metadata: { labels: { 'acme.io/defaults': null } } });
    await waitFor('no defaults', async () => (await countOf(defaultsIn(team))) === 0);
    await waitFor('no report', async () => (await annotationsOf(team))[MARK] === undefined);
    expect(await countOf(defaultsIn(team))).toBe(0);
  });

  it('reports one condition beside those of the controller of the parent, and follows its spec', async () => {
    await plane.request('POST', deployments(), deploymentOf('web'));
    await waitFor('the condition', async () => (await conditionOf('web'))?.status === 'True');
    await patch(`${deployments()}/web`, { spec: { replicas: 2 } });
    await waitFor('new notes', async () => (await get(notes('web')))?.data?.['replicas'] === '2');
    const conditions = (await get(`${deployments()}/web`))?.status?.conditions?.map(({ type }) => type) ?? [];
    expect(conditions).toContain('NotesWritten');
    expect(conditions.length).toBeGreaterThan(1);
    await patch(`${deployments()}/web`, { metadata: { labels: { 'acme.io/notes': null } } });
    await waitFor('no condition', async () => (await conditionOf('web')) === undefined);
    expect(await get(notes('web'))).toBeUndefined();
  });

  it('gives children to a parent that came back under its name while no operator ran', async () => {
    await plane.request('POST', deployments(), deploymentOf('again'));
    await waitFor('the notes', async () => (await get(notes('again'))) !== undefined);
    const before = (await get(notes('again')))?.metadata?.uid;
    await operator.stop();
    await plane.request('DELETE', `${deployments()}/again`);
    await waitFor('no parent', async () => (await get(`${deployments()}/again`)) === undefined);
    await plane.request('POST', deployments(), deploymentOf('again'));
    operator = await start();
    const uid = (await get(`${deployments()}/again`))?.metadata?.uid;
    await waitFor('notes of the new parent', async () => (await ownersOf(notes('again')))[0]?.uid === uid);
    expect((await get(notes('again')))?.metadata?.uid).not.toBe(before);
    await plane.request('DELETE', `${deployments()}/again`);
    await waitFor('the garbage collector', async () => (await get(notes('again'))) === undefined);
  });

  it('gives an annotated Ingress a record for each host, and reports in its annotation', async () => {
    const path = `/apis/networking.k8s.io/v1/namespaces/${apps}/ingresses`;
    await plane.request('POST', path, ingress);
    const record = `/api/v1/namespaces/${apps}/configmaps/dns.shop.apps.acme.io`;
    const reportOf = async () => (await get(`${path}/shop`))?.metadata?.annotations?.['net.acme.io/dns-names'];
    await waitFor('the record', async () => (await get(record)) !== undefined);
    await waitFor('the report', async () => (await reportOf()) === 'Progressing: NoAddress');
    await plane.request('PATCH', `${path}/shop/status`, addressed, { contentType: 'application/merge-patch+json' });
    await waitFor('the address', async () => (await get(record))?.data?.['targets'] === '192.0.2.7');
    await waitFor('the report', async () => (await reportOf()) === 'Ready: Published');
    await patch(`${path}/shop`, { metadata: { annotations: { 'acme.io/dns-ttl': null } } });
    await waitFor('no record', async () => (await get(record)) === undefined);
    expect(await get(record)).toBeUndefined();
  });

  it('works beside an extension of another operator, in the namespaces in which it has rights', async () => {
    const [open, closed] = [await plane.createNamespace('open'), await plane.createNamespace('closed')];
    const other = await startOwnOperator(plane, [otherNotes], { name: 'other-operator', namespaces: [open, closed] });
    await plane.request('POST', deploymentsOf(closed), deploymentOf('first'));
    await waitFor('other notes', async () => (await get(noteOf(closed, 'first-other'))) !== undefined);
    await other.stop();
    await plane.kubectl(['delete', 'rolebinding', '--all', '-n', closed]);
    const again = await runOwnOperator(plane, [otherNotes], { name: 'other-operator', namespaces: [open, closed] });
    try {
      for (const namespace of [open, closed])
        await plane.request('POST', deploymentsOf(namespace), deploymentOf('web'));
      await waitFor('other notes', async () => (await get(noteOf(open, 'web-other'))) !== undefined);
      await waitFor('notes', async () => (await get(noteOf(open, 'web-notes'))) !== undefined);
      expect(await get(noteOf(closed, 'web-other'))).toBeUndefined();
      expect(await get(noteOf(closed, 'first-other'))).toBeDefined();
      const labels = async (name: string) => Object.keys((await get(noteOf(open, name)))?.metadata?.labels ?? {});
      expect(await labels('web-other')).toEqual(['other.acme.io/other-notes']);
      expect(await labels('web-notes')).toEqual(['platform.acme.io/release-notes']);
    } finally {
      await again.stop();
    }
  });

  it('keeps the children of most namespaces when a changed definition selects others, and releases those with consent', async () => {
    const teams = [await plane.createNamespace('many', ON), await plane.createNamespace('many', ON)];
    for (const team of teams) await waitFor('the defaults', async () => (await countOf(defaultsIn(team))) === 4);
    await operator.stop();
    operator = await startOwnOperator(plane, [choosy], { grants: { bind: ['ClusterRole/edit'] } });
    for (const team of teams) await waitFor('the question', async () => isHeld(team));
    const [first = '', second = ''] = teams;
    const consent = { 'cdk8s-reconcile/allow-prune': 'tenant-defaults.platform.acme.io=4' };
    await patch(`/api/v1/namespaces/${first}`, { metadata: { annotations: consent } });
    await waitFor('no defaults', async () => (await countOf(defaultsIn(first))) === 0);
    expect(await countOf(defaultsIn(second))).toBe(4);
  });

  it('needs no right that the bundle does not grant', async () => {
    expect(await operator.forbidden()).toEqual([]);
  });
});
