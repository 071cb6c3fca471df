import { describe, expect, it } from 'vitest';
import { progressing } from '#lib/desired/result/state.ts';
import { ConfigMap } from '#lib/kind/handles/reference.ts';
import { Probe, probeTown } from '#test/unit/support/probe-town.ts';

describe('children elsewhere', () => {
  it('a resource has children in other namespaces and cluster-scoped children, each with the marks of its parent', async () => {
    const { api, start, settle, put, away, places, classes } = probeTown();
    const { metadata } = put('web', { targets: ['monitoring', 'logging'], priority: 5 });
    start();
    await settle();
    expect(places()).toEqual(['monitoring/web', 'logging/web']);
    expect(classes()).toMatchObject([
      { value: 5, metadata: { labels: { 'cdk8s-reconcile/elsewhere': metadata.uid } } },
    ]);
    for (const { metadata: own } of [...away(), ...classes()]) {
      expect(own).toMatchObject({ labels: { 'cdk8s-reconcile/elsewhere': metadata.uid } });
      expect((own as { annotations?: object }).annotations).toMatchObject({
        'cdk8s-reconcile/parent': 'demo.example.com/probe demo.example.com/v1 Probe default/web',
      });
      expect(own).not.toHaveProperty('ownerReferences');
    }
    expect(api.all(ConfigMap).map(({ metadata: { name } }) => name)).toEqual(['web']);
    expect(api.one(ConfigMap, 'web').metadata).toHaveProperty('ownerReferences');
  });

  it('the function sees children at home and elsewhere apart', async () => {
    const { api, start, settle, put } = probeTown();
    put('web', { targets: ['monitoring', 'logging'] });
    start();
    await settle();
    const { status } = api.one(Probe, 'web') as unknown as {
      status: object;
    };
    expect(status).toMatchObject({ home: 1, away: 'logging monitoring' });
  });

  it('the finalizer is on the resource before the first child elsewhere exists', async () => {
    const { api, start, settle, put } = probeTown();
    put('web', { targets: ['monitoring'] });
    start();
    await settle();
    expect(api.writes.slice(0, 2)).toMatchObject([
      { verb: 'patch', resource: 'probes.demo.example.com' },
      { verb: 'apply', resource: 'configmaps' },
    ]);
  });

  it('sends nothing at rest, and only lists after a restart', async () => {
    const { api, start, settle, put } = probeTown();
    put('web', { targets: ['monitoring'], priority: 5 });
    const first = start();
    await settle();
    await first.stop();
    api.requests.length = 0;
    start();
    await settle();
    expect(api.requests.filter(({ verb }) => verb !== 'list' && verb !== 'watch')).toEqual([]);
  });

  it('changes, undoes changes of others, brings back, and prunes children elsewhere', async () => {
    const { api, start, settle, put, change, away, places } = probeTown();
    put('web', { targets: ['monitoring', 'logging'] });
    start();
    await settle();
    await settle(() => change('web', { text: 'b' }));
    expect(away()).toMatchObject([{ data: { text: 'b' } }, { data: { text: 'b' } }]);
    const [first] = away();
    await settle(() => api.replace(ConfigMap, { ...first, data: { text: 'x' } } as never));
    expect(away()).toMatchObject([{ data: { text: 'b' } }, { data: { text: 'b' } }]);
    await settle(() => api.vanish(ConfigMap, first?.metadata.name ?? '', { namespace: 'monitoring' }));
    expect(places()).toEqual(['monitoring/web', 'logging/web']);
    await settle(() => change('web', { targets: ['logging'] }));
    expect(places()).toEqual(['logging/web']);
  });

  it('the children elsewhere go before the resource goes, and its finalizer last', async () => {
    const { api, start, settle, put, places, classes, exists } = probeTown();
    put('web', { targets: ['monitoring', 'logging'], priority: 5 });
    start();
    await settle();
    api.requests.length = 0;
    await settle(() => api.remove(Probe, 'web'));
    expect([places(), classes(), exists('web')]).toEqual([[], [], false]);
    expect(api.writes.map(({ verb }) => verb)).toEqual(['delete', 'delete', 'delete', 'patch']);
  });

  it('the pass that deletes them names the deletion as the state of the resource', async () => {
    const { api, decisions, start, settle, put } = probeTown();
    put('web', { targets: ['monitoring'] });
    start();
    await settle();
    await settle(() => api.remove(Probe, 'web'));
    expect(decisions.map(({ wanted }) => wanted.desired.state)).toContainEqual(
      progressing('Deleting', 'the children in other places are deleted'),
    );
  });
});
