import { describe, expect, it } from 'vitest';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { elsewhereName } from '#lib/desired/marks/elsewhere.ts';
import { progressing } from '#lib/desired/result/state.ts';
import { PriorityClass } from '#lib/kind/handles/built-in-handles.ts';
import { elsewhere } from '#lib/kind/handles/elsewhere.ts';
import { ConfigMap } from '#lib/kind/handles/reference.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import type { FakeRequest } from '#test/unit/support/fake-api.ts';
import { probe } from '#test/unit/support/probe-kind.ts';
import { Probe, probeTown, withoutNamespace } from '#test/unit/support/probe-town.ts';

const configMap = (name: string, namespace: string, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, ...metadata },
  data: { text: 'foreign' },
});

const markOf = (name: string, namespace = 'default'): string =>
  `demo.example.com/probe demo.example.com/v1 Probe ${namespace}/${name}`;

const marksOf = ({ metadata }: ApiObject) => ({
  labels: { 'cdk8s-reconcile/elsewhere': metadata.uid },
  annotations: { 'cdk8s-reconcile/parent': markOf(metadata.name) },
});

/** The result of a finalize function that never ends. */
const neverEnds = () => ({ children: [], status: { home: 0, away: '' }, state: progressing('Ending', 'ends') });

const deletes = ({ verb }: FakeRequest): boolean => verb === 'delete';

const reason = (conditions: readonly { readonly type: string; readonly reason: string; readonly message: string }[]) =>
  conditions.find(({ type }) => type === 'Stalled' || type === 'Ready');

describe('children elsewhere among hostile clients', () => {
  it.each([
    { spec: { targets: ['other'] }, says: 'metadata.namespace: must be "monitoring" or "logging"' },
    { spec: { targets: ['kube-system'] }, says: 'metadata.namespace: must be "monitoring" or "logging"' },
    { spec: { targets: ['default'] }, says: 'children[1]: each child is named at most once' },
    { spec: { targets: ['monitoring'], name: 'prometheus' }, says: 'metadata.name: must end with' },
  ])('a resource cannot reach a place or a name that its definition does not allow: $spec', async ({ spec, says }) => {
    const { api, start, settle, put, away, ready } = probeTown();
    for (const namespace of ['monitoring', 'other']) api.put(ConfigMap, configMap('prometheus', namespace));
    const name = 'web';
    put(name, { ...spec, ...(spec.targets[0] === 'default' && { name }) });
    start();
    await settle();
    expect(away().map((object) => object['data'])).toEqual([{ text: 'foreign' }, { text: 'foreign' }]);
    expect(reason(ready(name))).toMatchObject({ reason: 'InvalidDesired', message: expect.stringContaining(says) });
  });

  it('an object with the name of a child and without its marks stays as it is, and the resource is stalled', async () => {
    const { api, start, settle, put, away, ready } = probeTown();
    const resource = put('web', { targets: ['monitoring'] });
    const name = elsewhereName({ metadata: { namespace: 'default', name: 'web', uid: resource.metadata.uid } }, 'web');
    api.put(ConfigMap, configMap(name, 'monitoring'));
    start();
    await settle();
    expect(away()).toMatchObject([{ data: { text: 'foreign' } }]);
    expect(away()[0]?.metadata).not.toHaveProperty('labels');
    expect(reason(ready('web'))).toMatchObject({ reason: 'NameConflict' });
  });

  it('marks on an object with another name make it no child: the loop neither changes nor deletes it', async () => {
    const { api, start, settle, put, away, change } = probeTown();
    const resource = put('web', { targets: ['monitoring'] });
    const ghost = { metadata: { name: 'ghost', uid: 'no-such-uid' } } as ApiObject;
    api.put(ConfigMap, configMap('grafana', 'monitoring', marksOf(resource)));
    api.put(ConfigMap, configMap('loki', 'monitoring', marksOf(ghost)));
    start();
    await settle();
    await settle(() => change('web', { targets: [] }));
    expect(away().map(({ metadata }) => metadata.name)).toEqual(['grafana', 'loki']);
    expect(api.writes.filter(deletes)).toHaveLength(1);
  });

  it('an object in the namespace of the resource with the marks of a child elsewhere is no child', async () => {
    const { api, start, settle, put } = probeTown();
    const resource = put('web', { targets: [] });
    const name = elsewhereName({ metadata: { namespace: 'default', name: 'web', uid: resource.metadata.uid } }, 'web');
    api.put(ConfigMap, configMap(name, 'default', marksOf(resource)));
    start();
    await settle();
    expect(api.all(ConfigMap).map(({ metadata }) => metadata.name)).toEqual(['web', name].toSorted());
    expect(api.writes.filter(deletes)).toEqual([]);
  });

  it('forged children of a resource are pruned with consent only, and stop no other write of the resource', async () => {
    const { api, start, settle, put, places, change, ready } = probeTown();
    const { metadata } = put('web', { targets: ['monitoring'] });
    const marks = marksOf({ metadata: { ...metadata, name: 'web' } } as ApiObject);
    for (let index = 0; index < 15; index += 1) {
      const name = elsewhereName(
        { metadata: { namespace: 'default', name: 'web', uid: metadata.uid } },
        `forged-${index}`,
      );
      api.put(ConfigMap, configMap(name, 'logging', marks));
    }
    start();
    await settle();
    await settle(() => change('web', { text: 'b' }));
    expect(api.one(ConfigMap, 'web')['data']).toEqual({ text: 'b' });
    expect(places().filter((place) => place === 'monitoring/web')).toHaveLength(1);
    expect(ready('web')).toContainEqual(expect.objectContaining({ type: 'Stalled', reason: 'PruneNeedsConsent' }));
    expect(api.writes.filter(deletes)).toEqual([]);
  });

  it('objects with marks in a namespace that the definition does not allow are no children, though the watch delivers them', async () => {
    const { api, start, settle, put } = probeTown();
    const { metadata } = put('web', { targets: ['monitoring'] });
    const name = elsewhereName({ metadata: { namespace: 'default', name: 'web', uid: metadata.uid } }, 'forged');
    const marks = marksOf({ metadata: { ...metadata, name: 'web' } } as ApiObject);
    api.put(ConfigMap, configMap(name, 'other', marks));
    const any = { ...probe, kind: 'Other', plural: 'others', owns: [elsewhere(ConfigMap, { namespaces: 'any' })] };
    start(probe, any);
    await settle();
    expect(api.all(ConfigMap, 'other')).toHaveLength(1);
    expect(api.writes.filter(deletes)).toEqual([]);
  });

  it('a forged child with a finalizer of its own does not delay the end of a resource with finalize()', async () => {
    const { api, start, settle, put, exists, places } = probeTown();
    const { metadata } = put('web', { targets: [] });
    const marks = marksOf({ metadata: { ...metadata, name: 'web' } } as ApiObject);
    const name = elsewhereName({ metadata: { namespace: 'default', name: 'web', uid: metadata.uid } }, 'forged');
    api.put(ConfigMap, configMap(name, 'logging', { ...marks, finalizers: ['evil.example.com/stay'] }));
    start({ ...probe, finalize: neverEnds });
    await settle();
    await settle(() => api.remove(Probe, 'web'));
    expect([exists('web'), places()]).toEqual([false, ['logging/forged']]);
  });

  it('the mark of a child cannot name another resource of the namespace', async () => {
    const { api, start, settle, put, away } = probeTown();
    put('web', { targets: ['monitoring'] });
    start();
    await settle();
    const [child] = away();
    const annotations = { 'cdk8s-reconcile/parent': markOf('ghost') };
    await settle(() => api.replace(ConfigMap, { ...child, metadata: { ...child?.metadata, annotations } }));
    expect(away()).toHaveLength(1);
    expect(api.writes.filter(deletes)).toEqual([]);
  });

  it('a child without its label is no child any more, and stays', async () => {
    const { api, start, settle, put, away, ready, change } = probeTown();
    put('web', { targets: ['monitoring'] });
    start();
    await settle();
    const [child] = away();
    await settle(() => api.replace(ConfigMap, { ...child, metadata: { ...child?.metadata, labels: {} } }));
    await settle(() => change('web', { text: 'b' }));
    expect(away()).toMatchObject([{ data: { text: 'a' } }]);
    expect(reason(ready('web'))).toMatchObject({ reason: 'NameConflict' });
  });

  it('a namespace in deletion does not delay the children in the namespace of the resource', async () => {
    const { api, start, settle, put, ready } = probeTown();
    api.remove({ apiVersion: 'v1', kind: 'Namespace', plural: 'namespaces', scope: 'Cluster' }, 'logging');
    start();
    await settle();
    await settle(() => put('log', { targets: ['logging'] }), 200);
    await settle(() => put('web', { targets: [] }), 500);
    expect(reason(ready('log'))).toMatchObject({ reason: 'NamespaceTerminating' });
    expect(api.all(ConfigMap).map(({ metadata }) => metadata.name)).toEqual(['log', 'web']);
    expect(ready('web')).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
  });

  it('a namespace that the operator may not read concerns only the resources with children there', async () => {
    const rights = { logging: false };
    const { start, settle, put, places, ready } = probeTown((client) => withoutNamespace(client, 'logging', rights));
    put('web', { targets: ['monitoring'] });
    put('log', { targets: ['logging'] });
    const manager = start();
    await settle();
    expect(manager.isReady()).toBe(true);
    expect(manager.problems()).toMatchObject([{ resource: 'configmaps elsewhere', namespace: 'logging' }]);
    expect(places()).toEqual(['monitoring/web']);
    expect(ready('web')).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
    expect(reason(ready('log'))).toMatchObject({ reason: 'Forbidden' });
    rights.logging = true;
    await settle(() => undefined, 600_000);
    expect(places()).toEqual(['monitoring/web', 'logging/log']);
    expect(ready('log')).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
  });
});

describe('elsewhere() with any namespace', () => {
  const kind: AnyKindDefinition = {
    ...(probe as unknown as AnyKindDefinition),
    owns: [ConfigMap, elsewhere(ConfigMap, { namespaces: 'any' }), elsewhere(PriorityClass)],
  };

  it.each([
    { targets: ['other'], places: ['other/web'] },
    { targets: ['kube-system'], places: [] },
    { targets: ['operators'], places: [] },
  ])('allows every namespace except kube-* and that of the operator: $targets', async ({ targets, places }) => {
    const town = probeTown();
    town.api.makeNamespace('operators');
    town.put('web', { targets });
    town.start(kind);
    await town.settle();
    expect(town.places()).toEqual(places);
    const expected = places.length > 0 ? { status: 'True' } : { reason: 'InvalidDesired' };
    expect(reason(town.ready('web'))).toMatchObject(expected);
    expect(town.api.all(ConfigMap, 'kube-system').length + town.api.all(ConfigMap, 'operators').length).toBe(0);
  });

  it('takes no object in the namespace of the resource for a child elsewhere', async () => {
    const town = probeTown();
    const resource = town.put('web', { targets: [] });
    const name = elsewhereName({ metadata: { namespace: 'default', name: 'web', uid: resource.metadata.uid } }, 'web');
    town.api.put(ConfigMap, configMap(name, 'default', marksOf(resource)));
    town.start(kind);
    await town.settle();
    expect(town.api.all(ConfigMap).map(({ metadata }) => metadata.name)).toEqual(['web', name].toSorted());
  });

  it.each(['kube-system', 'operators'])('ignores an object with all marks in %s', async (namespace) => {
    const town = probeTown();
    town.api.makeNamespace(namespace);
    const resource = town.put('web', { targets: [] });
    const name = elsewhereName({ metadata: { namespace: 'default', name: 'web', uid: resource.metadata.uid } }, 'web');
    town.api.put(ConfigMap, configMap(name, namespace, marksOf(resource)));
    town.start(kind);
    await town.settle();
    await town.settle(() => town.api.remove(Probe, 'web'));
    expect(town.exists('web')).toBe(false);
    expect(town.api.all(ConfigMap, namespace).map(({ metadata }) => metadata.name)).toEqual([name]);
  });

  it('deletes the children in every namespace with the resource', async () => {
    const town = probeTown();
    town.put('web', { targets: ['other', 'logging'] });
    town.start(kind);
    await town.settle();
    expect(town.places()).toEqual(['logging/web', 'other/web']);
    await town.settle(() => town.api.remove(Probe, 'web'));
    expect([town.places(), town.exists('web')]).toEqual([[], false]);
  });
});
