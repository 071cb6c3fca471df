import { describe, expect, it } from 'vitest';
import { defineKind } from '#lib/desired/definition.ts';
import { ConfigMap, type KindRef, Pod, reading } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import { startManager } from '#lib/loop/manager/manager.ts';
import { needsOf, sourceId } from '#lib/loop/source/needs.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { FakeApi } from '#test/unit/support/fake-api.ts';
import { filtered, LABEL } from '#test/unit/support/labelled-kind.ts';
import { ManualTimers } from '#test/unit/support/manual-timers.ts';
import { shelf, strangersPod } from '#test/unit/support/shelf-kind.ts';

const rack = defineKind({ ...shelf, kind: 'Rack', plural: 'racks' });

const world = (prepare: (api: FakeApi) => unknown = () => undefined) => {
  const timers = new ManualTimers();
  const api = new FakeApi(timers, [filtered]);
  const log = createLogger('silent');
  const { apiVersion, kind } = refOf(filtered);
  api.put(refOf(filtered), {
    apiVersion,
    kind,
    metadata: { name: 'shelf', namespace: 'default' },
    spec: { books: ['a'] },
  });
  prepare(api);
  const manager = startManager({ kinds: [filtered], api: api.client, timers, random: () => 0.5, log });
  const cached = (kind: KindRef = Pod) => Object.keys(manager.inspect().watches[sourceId(kind)]?.cache.objects ?? {});
  return { timers, api, manager, cached };
};

const selectorOf = (...kinds: Parameters<typeof needsOf>[0][number][]) =>
  needsOf(kinds).get(sourceId(Pod))?.labelSelector;

describe('labelled()', () => {
  it('labelled() narrows a watch to the label of its owner when no other kind needs the resource', () => {
    expect(selectorOf(filtered)).toBe(LABEL);
    expect(selectorOf(shelf)).toBeUndefined();
    expect(selectorOf(filtered, rack)).toBeUndefined();
    expect(selectorOf({ ...filtered, reads: [reading(Pod, ['spec'])] })).toBeUndefined();
    expect(needsOf([filtered]).get(sourceId(refOf(filtered)))?.labelSelector).toBeUndefined();
  });

  it('labelled() keeps what is not ours out of the cache, and children are made and replaced as ever', async () => {
    const { timers, api, manager, cached } = world();
    for (const name of ['x', 'y']) api.put(Pod, strangersPod(name));
    await timers.advance(2000);
    expect(cached()).toEqual(['default/a']);
    api.vanish(Pod, 'a');
    await timers.advance(2000);
    expect(api.all(Pod).map(({ metadata }) => metadata.name)).toEqual(['a', 'x', 'y']);
    await manager.stop();
  });

  it.each([
    { kind: Pod, name: 'a', createdBy: 'POST' },
    { kind: ConfigMap, name: 'c', createdBy: 'apply' },
  ])(
    'labelled() gives the label back to a child of ours that lost it, created by $createdBy, and makes no second one',
    async ({ kind, name }) => {
      const { timers, api, manager, cached } = world();
      await timers.advance(2000);
      const { uid } = api.one(kind, name).metadata;
      api.edit(kind, name, (object) => ({ ...object, metadata: { ...object.metadata, labels: { theirs: 'too' } } }));
      await timers.advance(5000);
      const { metadata } = api.one(kind, name);
      expect(metadata).toMatchObject({ uid, labels: { theirs: 'too', [LABEL]: 'shelf' } });
      expect(cached(kind)).toContain(`default/${name}`);
      api.requests.length = 0;
      await timers.advance(60_000);
      expect(api.writes).toEqual([]);
      await manager.stop();
    },
  );

  it('labelled() leaves a foreign object alone that has the name of a child', async () => {
    const { timers, api, manager } = world((server) => server.put(Pod, strangersPod('a')));
    await timers.advance(5000);
    expect(api.one(Pod, 'a').metadata).not.toHaveProperty('labels');
    await manager.stop();
  });
});
