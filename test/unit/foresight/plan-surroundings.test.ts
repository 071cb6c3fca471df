import { describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import { type AnyKindDefinition, defineKind } from '#lib/desired/definition.ts';
import { ready } from '#lib/desired/result/state.ts';
import type { LiveObject } from '#lib/foresight/cluster/live-object.ts';
import { readLive } from '#lib/foresight/cluster/read-live.ts';
import { restoreCluster } from '#lib/foresight/cluster/restore.ts';
import { futureOf } from '#lib/foresight/plan/future.ts';
import { missingOwnersIn } from '#lib/foresight/plan/garbage.ts';
import { type PlanOptions, planChange } from '#lib/foresight/plan/plan-change.ts';
import { planHasChanges } from '#lib/foresight/plan/plan-counts.ts';
import { ConfigMap, type KindRef, type KubeObject } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import { s } from '#lib/kind/schema/schema.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';
import { callerThat, get } from '#test/unit/support/effects-bench.ts';
import { liveCluster, NOW, podSetOf } from '#test/unit/support/foresight-cluster.ts';

const HOUR_MS = 3_600_000;

const objectOf = (apiVersion: string, kind: string, spec: object): LiveObject => ({
  apiVersion,
  kind,
  metadata: { name: 'web', namespace: 'default' },
  spec,
});

const planOf = async (
  kinds: readonly AnyKindDefinition[],
  object: LiveObject,
  { live = [], ...more }: Partial<PlanOptions> = {},
) => planChange({ kinds, live, changes: [{ verb: 'apply', object }], now: NOW, ...more });

const caller = objectOf('demo.example.com/v1', 'Caller', { keys: ['a'] });

const inSecret = callerThat(() => [
  get('a', { request: { method: 'POST', url: { secretName: 'hook', key: 'url' } } }),
  get('b', { request: { method: 'GET', url: 'https://b.example.com/x' }, retries: 0 }),
]);

describe('planChange() of a kind that asks servers outside', () => {
  it('waits for an answer for the length of the horizon, and names the server', async () => {
    const plan = await planOf([callerThat()], caller, { horizonMs: HOUR_MS });
    expect(plan.asks).toEqual([{ method: 'GET', url: 'https://api.example.com' }]);
    expect(JSON.stringify(plan.sequence)).not.toContain('a!');
    expect(plan.notes.join()).toMatch(/depend on the answer of https:\/\/api\.example\.com, and deadlines/);
  });

  it('takes no Secret that was not read for an absent one', async () => {
    const plan = await planOf([inSecret], caller, { horizonMs: HOUR_MS });
    const expected = [
      { method: 'POST', url: 'the address in Secret hook' },
      { method: 'GET', url: 'https://b.example.com' },
    ];
    expect(plan.asks).toEqual(expected);
    expect(JSON.stringify(plan.sequence)).not.toMatch(/[ab]!/);
  });

  it('shows what the operator makes of a host that it may not ask', async () => {
    const plan = await planOf([callerThat()], caller, { allowedHosts: ['*.example.org'] });
    expect(plan.asks).toEqual([]);
    expect(JSON.stringify(plan.writes)).toContain('a!HostNotAllowed');
  });
});

/** A kind whose child is the resource of another kind. */
const fleet = defineKind({
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Fleet',
  spec: s.object({}),
  status: s.object({}),
  owns: [refOf(podSet)],
  desired: () => ({
    children: [{ verb: 'apply', object: podSetOf(1) as unknown as KubeObject }],
    status: {},
    state: ready('Asked', ''),
  }),
});

const nodeOf = (status: string): LiveObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'node-1', uid: 'n', resourceVersion: '1', creationTimestamp: '2026-11-22T00:00:00Z' },
  status: { conditions: [{ type: 'Ready', status, lastTransitionTime: '2026-11-22T11:59:55Z' }] },
});

describe('planChange() with a horizon', () => {
  it.each([
    ['True', true],
    ['Unknown', false],
  ])('leaves nodes as they are: Ready is %s', async (status, comesToRest) => {
    const live = [...(await liveCluster([podSet], [podSetOf(1)])), nodeOf(status)];
    const plan = await planOf([podSet], podSetOf(2), { live, horizonMs: 60_000 });
    expect(plan.sequence?.at(-1)?.reason === 'PodsReady').toBe(comesToRest);
  });

  it('shows writes of a nested kind as those of its own', async () => {
    const object = objectOf('demo.example.com/v1', 'Fleet', {});
    const { sequence = [] } = await planOf([fleet, podSet], object, { horizonMs: 60_000 });
    const statuses = sequence.filter(({ action, kind }) => action === 'status' && kind === 'PodSet');
    expect(statuses.map(({ owner, reason }) => [owner.kind, reason])).toContainEqual(['PodSet', 'PodsReady']);
    expect(statuses.every(({ owner }) => owner.kind === 'PodSet')).toBe(true);
  });

  it('leaves alone what belongs to owners that were not read', async () => {
    const controller = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'other', uid: 'elsewhere', controller: true };
    const pod: LiveObject = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'other-1',
        namespace: 'default',
        uid: 'p',
        resourceVersion: '1',
        ownerReferences: [controller],
      },
      spec: { containers: [{ name: 'a', image: 'a' }], nodeName: 'node-1' },
    };
    const { server } = restoreCluster({ kinds: [podSet], live: [pod], now: () => NOW });
    const options = { kinds: [podSet], now: NOW, elsewhere: missingOwnersIn(server) };
    const later = await futureOf(server, options, { untilMs: HOUR_MS, isAlone: false });
    expect(later.server.objects({ group: '', plural: 'pods' }).map(({ metadata }) => metadata.name)).toEqual([
      'other-1',
    ]);
  });
});

describe('planHasChanges()', () => {
  it('does not count what would be written anyway', async () => {
    const live = [{ ...podSetOf(1), metadata: { ...podSetOf(1).metadata, uid: 'u', resourceVersion: '1' } }];
    const plan = await planOf([podSet], podSetOf(1), { live });
    expect(plan.writes.length).toBeGreaterThan(0);
    expect(planHasChanges(plan)).toBe(false);
  });
});

interface CertificateObject extends KubeObject {
  spec?: { host?: string };
}

const Certificate: KindRef<CertificateObject> = {
  apiVersion: 'certs.example.com/v1',
  kind: 'Certificate',
  plural: 'certificates',
  scope: 'Namespaced',
};

const reader = defineKind({
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Reader',
  spec: s.object({}),
  status: s.object({}),
  owns: [ConfigMap],
  reads: [Certificate],
  desired({ related }) {
    const host = related.get(Certificate, 'web')?.spec?.host ?? 'none';
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' }, data: { host } };
    return { children: [{ verb: 'apply', object }], status: {}, state: ready('Read', '') };
  },
});

const certificates: LiveObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'certificates.certs.example.com', uid: 'c', resourceVersion: '1' },
  spec: {
    group: 'certs.example.com',
    names: { plural: 'certificates', kind: 'Certificate', listKind: 'CertificateList', singular: 'certificate' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { host: { type: 'string' } } } },
          },
        },
      },
    ],
  },
};

const certificate: LiveObject = {
  apiVersion: 'certs.example.com/v1',
  kind: 'Certificate',
  metadata: { name: 'web', namespace: 'default', uid: 'x', resourceVersion: '2' },
  spec: { host: 'a.example.com' },
};

/** A cluster with a foreign CRD, among unrelated ones. */
const withCertificates: Pick<KubeApi, 'list'> = {
  list: async ({ plural }) => {
    const other = { ...certificates, metadata: { ...certificates.metadata, name: 'others.example.com' } };
    const items = { customresourcedefinitions: [certificates, other], certificates: [certificate] }[plural] ?? [];
    return { items: items as never, resourceVersion: '9' };
  },
};

describe('readLive() and planChange()', () => {
  it('know a foreign custom resource that a kind reads', async () => {
    const { objects } = await readLive(withCertificates, { kinds: [reader], namespaces: ['default'] });
    expect(objects.map(({ metadata }) => metadata.name)).not.toContain('others.example.com');
    const { writes } = await planOf([reader], objectOf('demo.example.com/v1', 'Reader', {}), { live: objects });
    expect(writes[0]).toMatchObject({ kind: 'ConfigMap', body: { data: { host: 'a.example.com' } } });
  });
});
