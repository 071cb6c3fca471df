import { describe, expect, it } from 'vitest';
import { type AnyKindDefinition, defineKind } from '#lib/desired/definition.ts';
import { remove } from '#lib/desired/result/intent.ts';
import { progressing } from '#lib/desired/result/state.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import { startManager } from '#lib/loop/manager/manager.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { FakeApi } from '#test/unit/support/fake-api.ts';
import { ManualTimers } from '#test/unit/support/manual-timers.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';

const shelves = refOf(shelf);
const big = { note: 'x'.repeat(20_000) };

const finalized = defineKind({
  ...shelf,
  finalize: ({ children, resource }) => ({
    // The result depends on the spec, which the stub in the cache does not contain.
    children: children.of(Pod).map((pod) => remove(pod, `Gone${resource.spec.books.length}`)),
    status: { count: children.of(Pod).length },
    state: progressing('Clearing', 'clearing'),
  }),
});

const world = async (kind: AnyKindDefinition = shelf, maxResourcesBytes = Infinity) => {
  const timers = new ManualTimers();
  const api = new FakeApi(timers, [kind]);
  const declare = (name: string, annotations: Readonly<Record<string, string>> = {}) =>
    api.put(shelves, {
      apiVersion: shelves.apiVersion,
      kind: 'Shelf',
      metadata: { name, namespace: 'default', annotations },
      spec: { books: [`${name}-1`, `${name}-2`] },
    });
  const log = createLogger('silent');
  const maxResourceBytes = 16_384;
  const limits = { maxResourceBytes, maxResourcesBytes };
  const manager = startManager({ kinds: [kind], api: api.client, timers, random: () => 0.5, log, ...limits });
  await manager.started;
  const annotate = (name: string, annotations: object) =>
    api.edit(shelves, name, (object) => ({ ...object, metadata: { ...object.metadata, annotations } }));
  const pods = () => api.all(Pod).map(({ metadata }) => metadata.name);
  const stalledOf = (name: string) => {
    const { conditions = [] } = (api.one(shelves, name)['status'] ?? {}) as {
      conditions?: { type: string; status: string; reason: string; message: string }[];
    };
    return conditions.find(({ type }) => type === 'Stalled');
  };
  return { timers, api, manager, declare, annotate, pods, stalledOf };
};

describe('a resource that is larger than the limit', () => {
  it('startManager() makes it Stalled, reason TooLarge, says the way out, and creates nothing; its neighbour converges', async () => {
    const { timers, declare, pods, stalledOf } = await world();
    declare('large', big);
    declare('well');
    await timers.advance(10_000);
    expect(stalledOf('large')).toMatchObject({ reason: 'TooLarge' });
    expect(stalledOf('large')?.message).toBe(
      'the resource is larger than 16 KiB, the limit of this operator; its children stay as they are. Make spec, labels or annotations smaller, or raise maxResourceKiB of the operator',
    );
    expect(pods()).toEqual(['well-1', 'well-2']);
  });

  it('startManager() sends nothing for it at rest', async () => {
    const { timers, api, declare } = await world();
    declare('large', big);
    await timers.advance(10_000);
    api.requests.length = 0;
    await timers.advance(3_600_000);
    expect(api.requests.filter(({ verb }) => verb !== 'watch' && verb !== 'list')).toEqual([]);
  });

  it('startManager() prunes nothing of one that has become too large, keeps its status, and goes on when it is small again', async () => {
    const { timers, api, declare, annotate, pods, stalledOf } = await world();
    declare('shelf');
    await timers.advance(10_000);
    annotate('shelf', big);
    await timers.advance(10_000);
    expect({ pods: pods(), reason: stalledOf('shelf')?.reason }).toEqual({
      pods: ['shelf-1', 'shelf-2'],
      reason: 'TooLarge',
    });
    expect(api.one(shelves, 'shelf')['status']).toMatchObject({ count: 2 });
    annotate('shelf', {});
    await timers.advance(10_000);
    api.edit(shelves, 'shelf', (object) => ({ ...object, spec: { books: ['shelf-1'] } }));
    await timers.advance(10_000);
    expect({ pods: pods(), stalled: stalledOf('shelf')?.status }).toEqual({ pods: ['shelf-1'], stalled: 'False' });
  });

  it('startManager() leaves the conditions of other controllers in its status, and writes it once', async () => {
    const { timers, api, declare, annotate, stalledOf } = await world();
    declare('shelf');
    await timers.advance(10_000);
    const { conditions } = api.one(shelves, 'shelf')['status'] as { readonly conditions: readonly object[] };
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const theirs = { type: 'Accepted', status: 'True', reason: 'Ok', message: '', lastTransitionTime };
    const target = { namespace: 'default', name: 'shelf' };
    const status = { conditions: [...conditions, theirs] };
    await api.client.patchStatus(shelves, target, { status }, { fieldManager: 'policy' });
    await timers.advance(10_000);
    api.requests.length = 0;
    annotate('shelf', big);
    await timers.advance(10_000);
    expect(stalledOf('shelf')?.reason).toBe('TooLarge');
    expect(api.one(shelves, 'shelf')['status']).toMatchObject({ conditions: expect.arrayContaining([theirs]) });
    expect(api.writes).toHaveLength(1);
  });

  it('startManager() finalizes one that is too large: it is read whole while it is being deleted', async () => {
    const { timers, api, declare, annotate, pods } = await world(finalized);
    declare('shelf');
    await timers.advance(10_000);
    annotate('shelf', big);
    await timers.advance(10_000);
    api.remove(shelves, 'shelf');
    await timers.advance(60_000);
    expect({ shelves: api.all(shelves), pods: pods() }).toEqual({ shelves: [], pods: [] });
  });

  it('startManager() lets one be deleted that has no finalizer of ours', async () => {
    const { timers, api, manager, declare } = await world();
    declare('large', big);
    await timers.advance(10_000);
    api.remove(shelves, 'large');
    await timers.advance(10_000);
    expect(manager.inspect().controllers[0]?.queue.ready).toEqual({});
    expect(api.all(shelves)).toEqual([]);
  });
});

describe('resources that take more memory together than there is', () => {
  const half = { note: 'x'.repeat(10_000) };
  const names = ['a', 'b', 'c', 'd'];
  const BYTES = 110_000;

  it('startManager() makes those Stalled, reason TooLarge, for which there is no room; another namespace has some', async () => {
    const { timers, api, declare, pods, stalledOf } = await world(shelf, BYTES);
    for (const name of names) declare(name, half);
    api.makeNamespace('other');
    api.put(shelves, {
      apiVersion: shelves.apiVersion,
      kind: 'Shelf',
      metadata: { name: 'neighbour', namespace: 'other' },
      spec: { books: ['n'] },
    });
    await timers.advance(10_000);
    expect(names.map((name) => stalledOf(name)?.reason === 'TooLarge')).toEqual([false, false, true, true]);
    expect(stalledOf('d')?.message).toBe(
      'the resources of this namespace take more memory than is left for them in this operator; the children of this one stay as they are. Make resources of the namespace smaller or fewer, or raise memoryMiB of the operator',
    );
    expect(pods()).toEqual(['a-1', 'a-2', 'b-1', 'b-2']);
    expect(api.all(Pod, 'other').map(({ metadata }) => metadata.name)).toEqual(['n']);
  });

  it('startManager() sends nothing for them at rest, and takes them up within a minute when there is room', async () => {
    const { timers, api, declare, pods, stalledOf } = await world(shelf, BYTES);
    for (const name of names.slice(0, 3)) declare(name, half);
    await timers.advance(10_000);
    api.requests.length = 0;
    await timers.advance(3_600_000);
    expect(api.requests.filter(({ verb }) => verb !== 'watch' && verb !== 'list')).toEqual([]);
    api.remove(shelves, 'a');
    await timers.advance(60_000);
    expect({ stalled: stalledOf('c')?.status, pods: pods() }).toMatchObject({
      stalled: 'False',
      pods: expect.arrayContaining(['c-1', 'c-2']) as string[],
    });
    expect(api.requests.filter(({ name }) => name === 'c').map(({ verb }) => verb)).toEqual(['list', 'patchStatus']);
  });

  it('startManager() gives the room of deleted resources to later ones, however many there were', async () => {
    const { timers, api, declare, stalledOf } = await world(shelf, BYTES);
    for (let round = 0; round < 20; round += 1) {
      declare(`round-${round}`, half);
      await timers.advance(10_000);
      api.remove(shelves, `round-${round}`);
      await timers.advance(10_000);
    }
    declare('last', half);
    await timers.advance(10_000);
    expect(stalledOf('last')?.status).toBe('False');
  });
});
