import { describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import { observationOf } from '#lib/desired/observe/observation-of.ts';
import { UndeclaredReadError } from '#lib/errors.ts';
import { elsewhere } from '#lib/kind/handles/elsewhere.ts';
import { ConfigMap, type KindRef, type KubeObject, Pod } from '#lib/kind/handles/reference.ts';

const Node: KindRef = { apiVersion: 'v1', kind: 'Node', plural: 'nodes', scope: 'Cluster' };

const pod = (name: string) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, uid: `uid-${name}` } });

describe('observationOf()', () => {
  it('observationOf() fills in defaults of the spec as the API server does', () => {
    expect(observationOf(podSet, { spec: {} }).resource.spec).toMatchObject({
      replicas: 1,
      updateStrategy: { type: 'RollingUpdate', maxSurge: '25%' },
    });
  });

  it('observationOf() completes metadata, and keeps what is given', () => {
    const { metadata } = observationOf(podSet, { spec: {}, metadata: { name: 'web', generation: 7 } }).resource;
    expect(metadata).toEqual({
      name: 'web',
      generation: 7,
      namespace: 'default',
      labels: {},
      annotations: {},
      annotationManagers: {},
      creationTimestamp: '2026-01-01T00:00:00Z',
      uid: '00000000-0000-4000-8000-000000000001',
    });
  });

  it('observationOf() shows children sorted by name and frozen, and leaves the given ones alone', () => {
    const children = [pod('b'), pod('a')];
    const seen = observationOf(podSet, { spec: {}, children }).children.of(Pod);
    expect(seen.map(({ metadata }) => metadata?.name)).toEqual(['a', 'b']);
    expect(Object.isFrozen(seen) && Object.isFrozen(seen[0]?.metadata)).toBe(true);
    expect(Object.isFrozen(children[0])).toBe(false);
  });

  it('observationOf() refuses to show children of a kind that is not owned', () => {
    expect(() => observationOf(podSet, { spec: {} }).children.of(ConfigMap)).toThrow(UndeclaredReadError);
  });

  it('observationOf() refuses children of a kind that is not owned', () => {
    const children = [{ ...pod('a'), kind: 'Pond' }];
    expect(() => observationOf(podSet, { spec: {}, children })).toThrow(
      'Cannot observe Pond "a" (v1) among the children: the definition names v1 Pod, apps/v1 ControllerRevision there',
    );
  });

  it('observationOf() knows of no outcome that it is not given', () => {
    const succeeded = { state: 'succeeded', value: { status: 200, body: '' }, at: '2026-01-01T00:00:00Z' } as const;
    const { outcomes } = observationOf(podSet, { spec: {}, outcomes: { http: { check: succeeded } } });
    expect(outcomes.http('check')).toEqual(succeeded);
    expect([outcomes.http('constructor').state, outcomes.dryRun('check').state]).toEqual(['none', 'none']);
  });

  it('observationOf() sets the clock to the given instant', () => {
    const { clock } = observationOf(podSet, { spec: {}, now: '2026-11-21T09:30:00Z' });
    expect(clock.now()).toBe('2026-11-21T09:30:00.000000Z');
    expect([clock.reached('2026-11-21T09:30:00Z'), clock.reached('2026-11-21T09:30:01Z')]).toEqual([true, false]);
  });
});

const reader = { ...podSet, reads: [ConfigMap, Node] };

const configMap = (name: string, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
});

const relatedIn = (related: readonly KubeObject[], namespace = 'default') =>
  observationOf(reader, { spec: {}, metadata: { namespace }, related }).related;

const wearing = (tier: string) => ({ labels: { app: 'web', tier } });

const namesOf = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata?.name);

describe('observationOf(), related', () => {
  it('looks up objects of other namespaces only with a handle of elsewhere(), and only in its namespaces', () => {
    const Configs = elsewhere(ConfigMap, { namespaces: ['platform', 'themes'] });
    const objects = ['default', 'platform', 'themes', 'other'].map((namespace) => configMap('config', { namespace }));
    const { related } = observationOf({ ...reader, reads: [ConfigMap, Configs] }, { spec: {}, related: objects });
    expect(related.get(ConfigMap, 'config')?.metadata?.namespace).toBe('default');
    expect(related.get(Configs, 'themes/config')?.metadata?.namespace).toBe('themes');
    expect(related.list(Configs).map(({ metadata }) => metadata?.namespace)).toEqual(['platform', 'themes']);
    expect(() => related.get(Configs, 'other/config')).toThrow(
      'must be "platform" or "themes", as elsewhere() in reads allows',
    );
    expect(() => related.get(Configs, 'config')).toThrow('must be <namespace>/<name>');
  });

  it('observationOf() looks up what it is given, in the namespace of the resource', () => {
    const related = relatedIn([configMap('mine'), configMap('theirs', { namespace: 'other' })]);
    expect(related.get(ConfigMap, 'mine')?.metadata?.name).toBe('mine');
    expect([related.get(ConfigMap, 'theirs'), related.get(ConfigMap, 'other/theirs')]).toEqual([undefined, undefined]);
    expect(namesOf(related.list(ConfigMap))).toEqual(['mine']);
  });

  it('observationOf() lists by labels, sorted by name and frozen', () => {
    const list = relatedIn([configMap('b', wearing('x')), configMap('c', wearing('y')), configMap('a', wearing('x'))]);
    expect(namesOf(list.list(ConfigMap, { app: 'web', tier: 'x' }))).toEqual(['a', 'b']);
    expect(Object.isFrozen(list.list(ConfigMap))).toBe(true);
  });

  it('observationOf() shows cluster-scoped objects to every namespace', () => {
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } };
    expect(relatedIn([node], 'other').get(Node, 'n1')?.metadata?.name).toBe('n1');
  });

  it('observationOf() lets a cluster-scoped resource name and list objects of all namespaces', () => {
    const cluster = { ...reader, scope: 'Cluster' as const };
    const objects = [configMap('x', { namespace: 'b' }), configMap('x', { namespace: 'a' })];
    const { related, resource } = observationOf(cluster, { spec: {}, related: objects });
    expect(resource.metadata.namespace).toBe('');
    expect(related.list(ConfigMap).map(({ metadata }) => metadata?.namespace)).toEqual(['a', 'b']);
    expect(related.get(ConfigMap, 'a/x')?.metadata?.namespace).toBe('a');
    expect(() => related.get(ConfigMap, 'x')).toThrow(/name: must be <namespace>\/<name>: ConfigMap is namespaced/);
  });

  it('observationOf() refuses look-ups of a kind that is not declared, and says how to declare it', () => {
    const { related } = observationOf(reader, { spec: {} });
    expect(() => related.get(Pod, 'x')).toThrow(UndeclaredReadError);
    expect(() => related.list(Pod)).toThrow(
      'reads: must name every requested kind (it names v1 ConfigMap, v1 Node) (value: "v1 Pod") [declared-kind]; add Pod to reads',
    );
  });
});

const labelled = (name: string, metadata: object = {}) => ({
  ...pod(name),
  metadata: { name, uid: `uid-${name}`, labels: { app: 'example' }, ...metadata },
});

const offeredBy = (selector: () => Record<string, string>, orphans: readonly KubeObject[]) =>
  namesOf(observationOf({ ...podSet, selector }, { spec: {}, orphans }).orphans.of(Pod));

describe('observationOf(), orphans', () => {
  it('observationOf() offers the orphans that the selector selects, sorted by name', () => {
    expect(offeredBy(() => ({ app: 'example' }), [labelled('b'), labelled('a'), pod('other')])).toEqual(['a', 'b']);
  });

  it.each([
    { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' }, reason: 'it is being deleted' },
    {
      metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'u', controller: true }] },
      reason: 'it has a controller',
    },
  ])('observationOf() does not offer an orphan when $reason', ({ metadata }) => {
    expect(offeredBy(() => ({ app: 'example' }), [labelled('a', metadata)])).toEqual([]);
  });

  it('observationOf() offers nothing when the selector is empty, or there is none', () => {
    expect(offeredBy(() => ({}), [labelled('a')])).toEqual([]);
    expect(observationOf(podSet, { spec: {}, orphans: [labelled('a')] }).orphans.of(Pod)).toEqual([]);
  });

  it('observationOf() throws when the selector returns no labels', () => {
    expect(() => offeredBy(() => ({ app: 1 }) as never, [])).toThrow(
      'Cannot use the result of selector() returned for PodSet "default/example"',
    );
  });
});
