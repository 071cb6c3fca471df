import { beforeEach, describe, expect, it } from 'vitest';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { createCluster, type VirtualCluster } from './cluster.ts';
import { configMap, deletionOf, ownerOf, patchOf } from './requests.ts';

describe('garbageCollector()', () => {
  let cluster: VirtualCluster;
  beforeEach(() => {
    cluster = createCluster({ only: ['garbage collector'] });
  });

  const create = (name: string, metadata: object = {}): ServerObject =>
    cluster.send(configMap(name, { ...metadata })).body as unknown as ServerObject;

  const owned = (name: string, ...owners: readonly [ServerObject, object?][]): ServerObject =>
    create(name, { ownerReferences: owners.map(([owner, more]) => ownerOf(owner, more)) });

  const names = (): readonly string[] => cluster.objects('configmaps').map(({ metadata }) => metadata.name);
  const find = (name: string): ServerObject => cluster.objects('configmaps').find((o) => o.metadata.name === name)!;
  const labels = (): readonly string[] => cluster.steps().map(({ label }) => label);

  it('has nothing to do while owners exist', () => {
    const owner = create('owner');
    owned('child', [owner]);
    expect(labels()).toEqual([]);
  });

  it('deletes what an owner leaves, one object per step', () => {
    const owner = create('owner');
    owned('a', [owner]);
    owned('b', [owner]);
    cluster.send(deletionOf(owner));
    expect(labels()).toEqual(
      expect.arrayContaining([
        'garbage collector: delete configmaps default/a',
        'garbage collector: delete configmaps default/b',
      ]),
    );
    cluster.run('garbage collector: delete configmaps default/b');
    expect(names()).toEqual(['a']);
    cluster.calm();
    expect(names()).toEqual([]);
  });

  it('follows chains', () => {
    const top = create('top');
    owned('leaf', [owned('middle', [top])]);
    cluster.send(deletionOf(top));
    expect(cluster.calm()).toEqual([
      'garbage collector: delete configmaps default/middle',
      'garbage collector: delete configmaps default/leaf',
    ]);
  });

  it('keeps what has another owner, and takes the lost one from it', () => {
    const [gone, stays] = [create('gone'), create('stays')];
    owned('child', [gone], [stays]);
    cluster.send(deletionOf(gone));
    cluster.calm();
    expect(find('child').metadata.ownerReferences).toEqual([ownerOf(stays)]);
  });

  it('waits in the foreground for dependents that block, and for no others', () => {
    const owner = create('owner');
    const blocking = owned('blocking', [owner, { blockOwnerDeletion: true }]);
    const free = owned('free', [owner]);
    for (const object of [blocking, free])
      cluster.send(patchOf(object, { metadata: { finalizers: ['example.com/hold'] } }));
    cluster.send(deletionOf(owner, 'Foreground'));
    cluster.calm();
    expect(names()).toEqual(['blocking', 'free', 'owner']);
    expect(find('owner').metadata.finalizers).toEqual(['foregroundDeletion']);
    expect([find('blocking'), find('free')].map(({ metadata }) => metadata.deletionTimestamp)).not.toContain(undefined);
    cluster.send(patchOf(blocking, { metadata: { finalizers: null } }));
    cluster.calm();
    expect(names()).toEqual(['free']);
  });

  it('deletes dependents with dependents in the foreground too', () => {
    const top = create('top');
    const middle = owned('middle', [top, { blockOwnerDeletion: true }]);
    owned('leaf', [middle, { blockOwnerDeletion: true }]);
    cluster.send(deletionOf(top, 'Foreground'));
    expect(cluster.calm()).toEqual([
      'garbage collector: delete configmaps default/middle in the foreground',
      'garbage collector: delete configmaps default/leaf',
      'garbage collector: remove finalizer foregroundDeletion from configmaps default/middle',
      'garbage collector: remove finalizer foregroundDeletion from configmaps default/top',
    ]);
  });

  it('keeps a dependent of a foreground deletion that has another owner', () => {
    const [owner, stays] = [create('owner'), create('stays')];
    owned('child', [owner, { blockOwnerDeletion: true }], [stays]);
    cluster.send(deletionOf(owner, 'Foreground'));
    cluster.calm();
    expect(names()).toEqual(['child', 'stays']);
    expect(find('child').metadata.ownerReferences).toEqual([ownerOf(stays)]);
  });

  it('gets out of a circle of foreground deletions', () => {
    const a = create('a');
    const b = owned('b', [a, { blockOwnerDeletion: true }]);
    cluster.send(patchOf(a, { metadata: { ownerReferences: [ownerOf(b, { blockOwnerDeletion: true })] } }));
    cluster.send(deletionOf(a, 'Foreground'));
    cluster.calm();
    expect(names()).toEqual([]);
  });

  it('orphans dependents before the owner goes', () => {
    const owner = create('owner');
    owned('a', [owner]);
    owned('b', [owner]);
    cluster.send(deletionOf(owner, 'Orphan'));
    expect(cluster.calm()).toEqual([
      'garbage collector: orphan configmaps default/a',
      'garbage collector: orphan configmaps default/b',
      'garbage collector: remove finalizer orphan from configmaps default/owner',
    ]);
    expect(cluster.objects('configmaps').map(({ metadata }) => [metadata.name, metadata.ownerReferences])).toEqual([
      ['a', undefined],
      ['b', undefined],
    ]);
  });

  it('takes an owner of the same name and another uid for none', () => {
    const owner = create('owner');
    owned('child', [owner]);
    cluster.send(deletionOf(owner));
    create('owner');
    cluster.calm();
    expect(names()).toEqual(['owner']);
  });

  it('leaves objects alone whose owner is of an unknown kind', () => {
    owned('child', [create('owner'), { kind: 'Nope', apiVersion: 'example.com/v1' }]);
    expect(cluster.calm()).toEqual([]);
  });

  it('tries again when a deletion is refused since the object has changed', () => {
    const owner = create('owner');
    const child = owned('child', [owner]);
    cluster.send(deletionOf(owner));
    const [late] = cluster.steps();
    cluster.send(patchOf(child, { data: { changed: 'yes' } }));
    late?.run();
    cluster.calm();
    expect(names()).toEqual([]);
  });
});
