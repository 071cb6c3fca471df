import { describe, expect, it } from 'vitest';
import { addOwner, deleteIt, patchWith, removeOwners, touchAnnotation, touchLabel } from '#lib/controllers/writer.ts';
import { createCluster, type VirtualCluster } from './cluster.ts';
import { configMap, ownerOf } from './requests.ts';

const resource = { group: '', version: 'v1', plural: 'configmaps' };
const labels = (cluster: VirtualCluster): readonly string[] => cluster.steps().map(({ label }) => label);

describe('writer()', () => {
  it('offers each action on each object of its targets, as a fault', () => {
    const targets = [{ resource, namespace: 'default', name: 'a', actions: [touchLabel, deleteIt('Background')] }];
    const cluster = createCluster({ only: [], writers: [{ name: 'somebody', targets }] });
    for (const name of ['a', 'b']) cluster.send(configMap(name));
    expect(labels(cluster)).toEqual([
      'somebody: touch label of configmaps default/a',
      'somebody: delete (Background) configmaps default/a',
    ]);
    expect(cluster.steps().every(({ isFault }) => isFault)).toBe(true);
    cluster.run(/touch label/);
    const touched = () => cluster.objects('configmaps')[0]?.metadata.labels;
    expect(touched()).toEqual({ 'writer.sim/touched': 'true' });
    cluster.run(/touch label/);
    expect(touched()).toBeUndefined();
    cluster.run(/delete/);
    expect(cluster.objects('configmaps').map(({ metadata }) => metadata.name)).toEqual(['b']);
  });

  it('changes what it is told to, and offers nothing that would change nothing', () => {
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: 'some-uid' };
    const actions = [addOwner(owner), removeOwners, touchAnnotation, patchWith('fill', { data: { key: 'value' } })];
    const cluster = createCluster({
      only: [],
      writers: [{ targets: [{ resource, selector: { matchLabels: { chosen: 'yes' } }, actions }] }],
    });
    cluster.send(configMap('a', { labels: { chosen: 'yes' } }));
    cluster.send(configMap('b'));
    expect(labels(cluster)).toEqual([
      'writer: add owner ConfigMap owner to configmaps default/a',
      'writer: touch annotation of configmaps default/a',
      'writer: fill configmaps default/a',
    ]);
    cluster.run(/add owner/);
    cluster.run(/fill/);
    cluster.run(/touch annotation/);
    const [object] = cluster.objects('configmaps');
    expect(object).toMatchObject({
      metadata: { annotations: { 'writer.sim/touched': 'true' } },
      data: { key: 'value' },
    });
    expect(object?.metadata.ownerReferences).toEqual([owner]);
    cluster.run(/remove owners/);
    expect(cluster.objects('configmaps')[0]?.metadata.ownerReferences).toBeUndefined();
    expect(ownerOf(object!).name).toBe('a');
  });

  it('follows a script, one request after the other, each at its time', () => {
    const script = [
      { label: 'create a', request: configMap('a') },
      { label: 'create b', at: Date.UTC(2026, 0, 1, 0, 1), request: configMap('b') },
    ];
    const cluster = createCluster({ only: [], writers: [{ script }] });
    expect([cluster.calm(59), cluster.calm(1), cluster.calm()]).toEqual([
      ['writer: create a'],
      ['writer: create b'],
      [],
    ]);
    expect(cluster.actors[0]?.memory?.()).toBe(2);
  });
});
