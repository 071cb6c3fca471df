import { describe, expect, it } from 'vitest';
import { WatchedQuota } from '#lib/desired/rights/quota.ts';
import { ApiError, ConnectionError, InvariantError } from '#lib/errors.ts';
import { ConfigMap, Pod } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import { keyOfObject } from '#lib/loop/cache/objects.ts';
import { createSources } from '#lib/loop/source/sources.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { capturedLog } from '#test/unit/support/captured-log.ts';
import { FakeApi } from '#test/unit/support/fake-api.ts';
import { ManualTimers, settle } from '#test/unit/support/manual-timers.ts';
import { shelf, strangersPod } from '#test/unit/support/shelf-kind.ts';

const world = (log = createLogger('silent')) => {
  const timers = new ManualTimers();
  const api = new FakeApi(timers, [shelf]);
  const sources = createSources([shelf], {
    api: api.client,
    timers,
    random: () => 0.5,
    log,
  });
  const podNames = () => [...sources.of(Pod).cache.all()].map(keyOfObject);
  return { timers, api, sources, podNames };
};

describe('Sources', () => {
  it('of() gives one source per resource, and refuses resources that no kind needs', () => {
    const { sources } = world();
    expect(sources.of({ ...Pod, fields: [] })).toBe(sources.of(Pod));
    expect(sources.of(refOf(shelf)).kind.plural).toBe('shelves');
    expect(() => sources.of(ConfigMap)).toThrow(InvariantError);
  });

  it('listen() reports the objects of the first list', async () => {
    const { api, sources } = world();
    api.put(Pod, strangersPod('a'));
    const heard: string[] = [];
    sources.of(Pod).listen(({ after }) => heard.push(after?.metadata.name ?? '-'));
    sources.start();
    expect(await sources.synced()).toBe(true);
    expect(heard).toEqual(['a']);
    await sources.stop();
  });

  it('start() takes thousands of objects over bit by bit, and is synced when all are there', async () => {
    const { timers, api, sources, podNames } = world();
    for (let number = 0; number < 2500; number += 1) api.put(Pod, strangersPod(`pod-${number}`));
    sources.start();
    const counts: number[] = [];
    await settle();
    while (timers.pending.includes(0)) {
      counts.push(podNames().length);
      timers.elapse(0);
      await settle();
    }
    expect(counts).toEqual(Array.from({ length: 10 }, (_, slice) => (slice + 1) * 250));
    expect(await sources.synced()).toBe(true);
    expect(podNames()).toHaveLength(2500);
    await sources.stop();
  });

  it.each([403, 404])(
    'synced() does not wait for quotas, which are no problem, and the log has one line about a %i',
    async (httpStatus) => {
      const { log, lines } = capturedLog();
      const { api, timers, sources } = world(log);
      const refused = new ApiError('list resourcequotas', { httpStatus, reason: 'Forbidden', message: 'no' });
      api.refuse = ({ resource }) => (resource === 'resourcequotas' ? refused : undefined);
      sources.start();
      expect(await sources.synced()).toBe(true);
      expect([sources.isSettled(), sources.problems()]).toEqual([true, []]);
      await timers.advance(3_600_000);
      const said = lines.map((line) => JSON.parse(line) as object);
      expect(said).toMatchObject([{ resource: 'resourcequotas', msg: 'watch refused, going on without it' }]);
      expect(said[0]).toMatchObject({ advice: expect.stringContaining('install bundle') as string });
      api.refuse = () => undefined;
      api.put(WatchedQuota, {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'q', namespace: 'default' },
      });
      await timers.advance(60_000);
      expect(sources.of(WatchedQuota).cache.size).toBe(1);
      await sources.stop();
    },
  );

  it('synced() resolves with false when the sources are stopped', async () => {
    const { api, sources } = world();
    api.refuse = ({ verb }) => (verb === 'list' ? new ConnectionError('refused') : undefined);
    sources.start();
    await settle();
    const filled = sources.synced();
    await sources.stop();
    expect([await filled, await sources.of(Pod).catchUp({ sinceMs: 0 })]).toEqual([false, false]);
  });
});
