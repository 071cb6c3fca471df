import { describe, expect, it } from 'vitest';
import { defineKind } from '#lib/desired/definition.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { ApiError, ConnectionError, type ReconcileError } from '#lib/errors.ts';
import { ConfigMap, Pod } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';
import { type LoopMetrics, noMetrics, type WatchProbe } from '#lib/loop/context/metrics.ts';
import { type ManagerOptions, startManager } from '#lib/loop/manager/manager.ts';
import { capturedLog } from '#test/unit/support/captured-log.ts';
import { FakeApi } from '#test/unit/support/fake-api.ts';
import { ManualTimers } from '#test/unit/support/manual-timers.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';

const shelves = refOf(shelf);

/** A second kind, with a child of another kind. */
const rack = defineKind({
  ...shelf,
  kind: 'Rack',
  plural: 'racks',
  owns: [ConfigMap],
  desired: ({ resource }) => ({
    children: [apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: resource.metadata.name } })],
    status: { count: 0 },
    state: ready('Complete', 'made'),
  }),
});
const racks = refOf(rack);

const SHELVES = 'shelves.demo.example.com';
const RACKS = 'racks.demo.example.com';

const answered = (httpStatus: number, reason: string): ApiError =>
  new ApiError('list', { httpStatus, reason, message: 'no' });

/** A loop for both kinds in two namespaces. The test may refuse any list and watch. */
const world = (options: Partial<ManagerOptions> = {}) => {
  const timers = new ManualTimers();
  const api = new FakeApi(timers, [shelf, rack]);
  api.makeNamespace('left');
  api.sendsBookmarks = true;
  const { log, lines } = capturedLog();
  const faults = new Map<string, ReconcileError>();
  const check = (plural: string, namespace: string | undefined): void => {
    const fault = faults.get(plural) ?? faults.get(`${plural} in ${namespace}`);
    if (fault) throw fault;
  };
  const client: KubeApi = {
    ...api.client,
    list: async (resource, asked) => {
      check(resource.plural, asked?.namespace);
      return api.client.list(resource, asked);
    },
    watch: async (resource, asked, onEvent) => {
      check(resource.plural, asked.namespace);
      return api.client.watch(resource, asked, onEvent);
    },
  };
  const probes = new Map<string, WatchProbe>();
  const metrics: LoopMetrics = {
    ...noMetrics,
    watch: (resource, probe) => {
      probes.set(resource, probe);
      return noMetrics.watch(resource, probe);
    },
  };
  const readiness: boolean[] = [];
  const start = () =>
    startManager({
      kinds: [shelf, rack],
      api: client,
      timers,
      random: () => 0.5,
      log,
      metrics,
      onReadiness: (isReady) => readiness.push(isReady),
      ...options,
    });
  const declare = (resource: typeof shelves, namespace = 'default'): void => {
    const { apiVersion, kind } = resource;
    api.put(resource, { apiVersion, kind, metadata: { name: 'it', namespace }, spec: { books: ['book'] } });
  };
  const made = (): string[] =>
    ['default', 'left'].flatMap((namespace) =>
      [Pod, ConfigMap].flatMap((kind) => api.all(kind, namespace).map((object) => `${object.kind} in ${namespace}`)),
    );
  const said = (msg: string) =>
    lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter((line) => line['msg'] === msg);
  return { timers, api, faults, probes, readiness, start, declare, made, said };
};

describe('startManager(): the start of each kind', () => {
  it.each([
    { what: 'its own definition is not served', plural: 'racks', error: answered(404, 'NotFound'), resource: RACKS },
    {
      what: 'its children may not be read',
      plural: 'configmaps',
      error: answered(403, 'Forbidden'),
      resource: 'configmaps',
    },
  ])('startManager() works on other kinds, is ready, and names what is missing when $what', async (given) => {
    const { timers, faults, probes, start, declare, made, said } = world();
    faults.set(given.plural, given.error);
    declare(shelves);
    declare(racks);
    const manager = start();
    await manager.started;
    await timers.advance(1000);
    expect([manager.isReady(), made()]).toEqual([true, ['Pod in default']]);
    const reason = given.error.code;
    expect(manager.problems()).toMatchObject([{ resource: given.resource, trouble: { cause: 'refused', reason } }]);
    expect(said('ready, without the watches that the API server refuses')).toMatchObject([
      { level: 'warn', without: [{ resource: given.resource, reason }] },
    ]);
    expect(probes.get(given.resource)?.refused()).toBe(1);
    expect(probes.get(SHELVES)?.refused()).toBe(0);
    faults.clear();
    await timers.advance(60_000);
    expect([manager.problems(), made(), probes.get(given.resource)?.refused()]).toEqual([
      [],
      ['Pod in default', 'ConfigMap in default'],
      0,
    ]);
    expect(said('watch no longer refused, started')).toMatchObject([{ resource: given.resource }]);
    expect(said('caches filled, this kind is worked on, too')).toMatchObject([{ kind: 'Rack.demo.example.com/v1' }]);
    await manager.stop();
  });

  it('startManager() works in the namespaces that it may read, and in the others as soon as it may', async () => {
    const { timers, faults, probes, start, declare, made } = world({ namespaces: ['default', 'left'] });
    faults.set('pods in left', answered(403, 'Forbidden'));
    for (const namespace of ['default', 'left']) for (const kind of [shelves, racks]) declare(kind, namespace);
    const manager = start();
    await timers.advance(3_600_000);
    expect([manager.isReady(), made()]).toEqual([
      true,
      ['Pod in default', 'ConfigMap in default', 'ConfigMap in left'],
    ]);
    expect(manager.problems()).toMatchObject([{ resource: 'pods', namespace: 'left' }]);
    expect(probes.get('pods')?.refused()).toBe(1);
    faults.clear();
    await timers.advance(60_000);
    expect(made()).toEqual(['Pod in default', 'ConfigMap in default', 'Pod in left', 'ConfigMap in left']);
    await manager.stop();
  });

  it.each([
    { what: 'cannot be reached', error: new ConnectionError('reset') },
    { what: 'is busy', error: answered(503, 'ServiceUnavailable') },
  ])(
    'startManager() writes nothing for a kind of which a list fails, as the API server $what, and does not wait for it',
    async ({ error }) => {
      const { timers, api, faults, start, declare, made } = world();
      faults.set('configmaps', error);
      declare(shelves);
      declare(racks);
      const manager = start();
      await timers.advance(60_000);
      expect([manager.isReady(), made()]).toEqual([false, ['Pod in default']]);
      expect(api.writes.filter(({ resource }) => resource.startsWith('racks'))).toEqual([]);
      faults.clear();
      await timers.advance(60_000);
      expect([manager.isReady(), made()]).toEqual([true, ['Pod in default', 'ConfigMap in default']]);
      await manager.stop();
    },
  );

  it('startManager() is ready after two minutes of errors that the API server answers, as every replica would get them', async () => {
    const { timers, faults, readiness, start } = world();
    faults.set('racks', answered(500, 'InternalError'));
    const manager = start();
    await timers.advance(110_000);
    expect(readiness).toEqual([]);
    await timers.advance(3_600_000);
    expect([readiness, manager.isReady()]).toEqual([[true], true]);
    await manager.stop();
  });

  it('startManager() is never ready while this process cannot reach what it needs', async () => {
    const { timers, faults, readiness, start } = world();
    faults.set('racks', new ConnectionError('reset'));
    const manager = start();
    await timers.advance(3_600_000);
    expect(readiness).toEqual([]);
    await manager.stop();
  });
});

/** A running loop whose watches of shelves all end. */
const broken = async (error: ReconcileError) => {
  const given = world();
  const { timers, faults, start } = given;
  const manager = start();
  await timers.advance(1000);
  faults.set('shelves', error);
  // A watch lasts ten minutes at most.
  await timers.advance(600_000);
  return { ...given, manager };
};

describe('startManager(): readiness', () => {
  it('isReady() is false when a watch has failed for two minutes for a cause of this process, and true when it is well again', async () => {
    const { timers, faults, readiness, manager, said, api } = await broken(new ConnectionError('reset'));
    await timers.advance(110_000);
    await timers.advance(300_000);
    expect([readiness, manager.isReady()]).toEqual([[true, false], false]);
    expect(said('no longer ready: required watches fail in this process')).toMatchObject([
      { level: 'error', without: [{ resource: SHELVES, reason: 'Connection' }] },
    ]);
    faults.clear();
    await timers.advance(60_000);
    api.put(shelves, {
      apiVersion: shelves.apiVersion,
      kind: shelves.kind,
      metadata: { name: 'new', namespace: 'default' },
      spec: { books: [] },
    });
    await timers.advance(1000);
    expect([readiness, manager.problems()]).toEqual([[true, false, true], []]);
    await manager.stop();
  });

  it.each([
    answered(403, 'Forbidden'),
    answered(404, 'NotFound'),
    answered(500, 'InternalError'),
    answered(429, 'TooManyRequests'),
  ])(
    'isReady() stays true when the API server answers a watch with %s for hours, and problems() names it',
    async (error) => {
      const { timers, readiness, manager } = await broken(error);
      await timers.advance(7_200_000);
      expect([readiness, manager.problems()]).toMatchObject([
        [true],
        [{ resource: SHELVES, trouble: { reason: error.code } }],
      ]);
      await manager.stop();
    },
  );

  it('isReady() stays true when connections break now and then', async () => {
    let failures = 0;
    const { timers, faults, readiness, start } = world({ onWatchError: () => (failures += 1) });
    const manager = start();
    for (let time = 0; time < 20; time += 1) {
      await timers.advance(300_000);
      faults.set('shelves', new ConnectionError('reset'));
      await timers.advance(60_000);
      faults.clear();
    }
    expect(failures).toBeGreaterThan(0);
    expect(readiness).toEqual([true]);
    await manager.stop();
  });

  it('onReadiness() is not called at stop()', async () => {
    const { timers, readiness, start } = world();
    const manager = start();
    await timers.advance(1000);
    await manager.stop();
    expect([readiness, manager.isReady()]).toEqual([[true], false]);
  });
});
