import { describe, expect, it } from 'vitest';
import { ConnectionError, ReconcileError } from '#lib/errors.ts';
import type { ApiObject, WatchEvent } from '#lib/kube/interface/api.ts';
import { WatchLists } from '#lib/kube/reflector/watch-list.ts';
import { settle } from './manual-timers.ts';
import { current, page, refused, start as startWith, storeOf } from './reflector-fixture.ts';
import { pod, type ScriptedApi, scriptedApi } from './scripted-api.ts';

const start = async (api: ScriptedApi, more: Parameters<typeof startWith>[1] = {}) =>
  startWith(api, { watchLists: new WatchLists(), ...more });

const added = (object: ApiObject): WatchEvent => ({ type: 'ADDED', object });
const end = (resourceVersion: string): WatchEvent => ({ type: 'BOOKMARK', resourceVersion, endsInitialEvents: true });

describe('startReflector: watch-list', () => {
  it('startReflector() fills the sink once, when everything has been sent, and follows on the same watch', async () => {
    const api = scriptedApi();
    const { reflector, store } = await start(api, { transform: (object) => ({ ...object, slim: true }) });
    current(api).emit(added(pod('a', '3')));
    current(api).emit(added(pod('b', '4')));
    current(api).emit({ type: 'BOOKMARK', resourceVersion: '5' });
    expect([store.seen, reflector.inspect().resourceVersion]).toEqual([[], undefined]);
    current(api).emit(end('10'));
    expect(await reflector.synced).toBe(true);
    expect(store.names()).toEqual(['a@3', 'b@4']);
    expect([...store.objects.values()].map(({ slim }) => slim)).toEqual([true, true]);
    current(api).emit({ type: 'DELETED', object: pod('a', '11') });
    expect([store.names(), store.seen]).toEqual([['b@4'], ['replace 10', 'DELETED']]);
    expect(api.requests).toEqual(['watch-list']);
    await reflector.stop();
  });

  it('startReflector() keeps what comes while the sink still takes over the beginning, and hands it over then, in order', async () => {
    const api = scriptedApi();
    const taken = Promise.withResolvers<void>();
    const sink = storeOf();
    const replace = async (...given: Parameters<typeof sink.replace>): Promise<void> => {
      sink.replace(...given);
      await taken.promise;
    };
    const { reflector } = await start(api, { sink: { replace, event: sink.event } });
    current(api).emit(added(pod('a', '3')));
    current(api).emit(end('10'));
    current(api).emit({ type: 'DELETED', object: pod('a', '11') });
    current(api).emit(added(pod('b', '12')));
    await settle();
    expect([sink.seen, reflector.inspect().resourceVersion]).toEqual([['replace 10'], undefined]);
    taken.resolve();
    expect(await reflector.synced).toBe(true);
    expect([sink.names(), sink.seen]).toEqual([['b@12'], ['replace 10', 'DELETED', 'ADDED']]);
    expect(reflector.inspect().resourceVersion).toBe('12');
    await reflector.stop();
  });

  it('startReflector() does not call the sink any more when it is stopped while that takes over the beginning', async () => {
    const api = scriptedApi();
    const taken = Promise.withResolvers<void>();
    const sink = storeOf();
    const replace = async (...given: Parameters<typeof sink.replace>): Promise<void> => {
      sink.replace(...given);
      await taken.promise;
    };
    const { reflector } = await start(api, { sink: { replace, event: sink.event } });
    current(api).emit(end('10'));
    current(api).emit(added(pod('b', '12')));
    const stopped = reflector.stop();
    taken.resolve();
    await stopped;
    expect([await reflector.synced, sink.seen]).toEqual([false, ['replace 10']]);
  });

  it('startReflector() takes changes of the beginning into account when the server mixes them in', async () => {
    const api = scriptedApi();
    const { reflector, store } = await start(api);
    current(api).emit(added(pod('a', '3')));
    current(api).emit(added(pod('b', '4')));
    current(api).emit({ type: 'MODIFIED', object: pod('a', '8') });
    current(api).emit({ type: 'DELETED', object: pod('b', '9') });
    current(api).emit(end('10'));
    expect([store.names(), store.seen]).toEqual([['a@8'], ['replace 10']]);
    await reflector.stop();
  });

  it('startReflector() resumes by watching when a watch that began with everything ends', async () => {
    const api = scriptedApi();
    const { reflector, timers } = await start(api);
    current(api).emit(end('10'));
    current(api).emit(added(pod('a', '12')));
    await timers.advance(300_000);
    current(api).end();
    await settle();
    expect(api.requests).toEqual(['watch-list', 'watch 12']);
    await reflector.stop();
  });

  it.each([
    { how: 'breaks', fail: (api: ScriptedApi) => current(api).fail(new ConnectionError('lost')) },
    { how: 'ends', fail: (api: ScriptedApi) => current(api).end() },
  ])('startReflector() begins again, keeps the old store and reports it when a beginning $how', async ({ fail }) => {
    const api = scriptedApi();
    const { reflector, timers, store, errors } = await start(api);
    current(api).emit(added(pod('old', '3')));
    current(api).emit(end('10'));
    current(api).fail(refused(410, 'Expired'));
    await timers.advance(800);
    current(api).emit(added(pod('new', '12')));
    fail(api);
    await settle();
    expect(store.names()).toEqual(['old@3']);
    expect(errors.map(({ error }) => error)).toEqual([expect.any(ConnectionError)]);
    await timers.advance(1600);
    current(api).emit(end('20'));
    expect([store.names(), api.requests]).toEqual([[], ['watch-list', 'watch-list', 'watch-list']]);
    await reflector.stop();
  });

  it.each([refused(422, 'Invalid'), refused(400, 'BadRequest')])(
    'startReflector() lists at once, without an error, and never asks again when the server answers %s',
    async (refusal) => {
      const api = scriptedApi(page(pod('a', '3')), page(pod('a', '3')));
      const watchLists = new WatchLists();
      const { reflector, timers, store, errors } = await start(api, { watchLists });
      current(api).fail(refusal);
      await settle();
      expect([store.names(), errors]).toEqual([['a@3'], []]);
      current(api).fail(refused(410, 'Expired'));
      await timers.advance(800);
      expect(api.requests).toEqual(['watch-list', 'list', 'watch 10', 'list', 'watch 10']);
      await reflector.stop();
      const other = scriptedApi(page());
      await (await start(other, { watchLists })).reflector.stop();
      expect(other.requests, 'another reflector of the process').toEqual(['list', 'watch 10']);
    },
  );

  it.each([
    { what: 'after some objects', emits: [added(pod('a', '3'))], withinMs: 10_000 },
    { what: 'from the start', emits: [], withinMs: 30_000 },
  ])(
    'startReflector() lists, without an error, and never asks again when the server falls silent $what',
    async ({ emits, withinMs }) => {
      const api = scriptedApi(page(pod('b', '4')), page());
      const { reflector, timers, store, errors } = await start(api);
      emits.forEach((event) => current(api).emit(event));
      await timers.advance(withinMs - 1);
      expect(api.requests).toEqual(['watch-list']);
      await timers.advance(401);
      expect([store.names(), errors]).toEqual([['b@4'], []]);
      current(api).fail(refused(410, 'Expired'));
      await timers.advance(800);
      expect(api.requests).toEqual(['watch-list', 'list', 'watch 10', 'list', 'watch 10']);
      await reflector.stop();
    },
  );

  it('startReflector() lets a beginning last when objects keep coming', async () => {
    const api = scriptedApi();
    const { reflector, timers, store } = await start(api);
    for (const version of ['3', '4', '5', '6']) {
      current(api).emit(added(pod(`at-${version}`, version)));
      await timers.advance(9999);
    }
    current(api).emit(end('10'));
    expect([store.objects.size, timers.pending()]).toEqual([4, []]);
    await reflector.stop();
  });

  it('catchUp() counts the next beginning, not one under way of an older version', async () => {
    const api = scriptedApi();
    const { reflector, timers } = await start(api);
    let fresh: boolean | undefined;
    void reflector.catchUp(timers.elapsed()).then((value) => (fresh = value));
    current(api).emit(end('10'));
    await settle();
    expect([fresh, api.requests]).toEqual([undefined, ['watch-list', 'watch-list']]);
    current(api).emit(end('20'));
    await settle();
    expect(fresh).toBe(true);
    await reflector.stop();
  });

  it('startReflector() asks for a watch-list again half an hour after one was left incomplete', async () => {
    const api = scriptedApi(page(), page(), page());
    const { reflector, timers } = await start(api);
    await timers.advance(31_000);
    expect(api.requests.slice(0, 2)).toEqual(['watch-list', 'list']);
    current(api).fail(refused(410, 'Expired'));
    await timers.advance(31_000);
    expect(api.requests.filter((request) => request === 'watch-list')).toHaveLength(1);
    await timers.advance(1_800_000);
    current(api).fail(refused(410, 'Expired'));
    await timers.advance(31_000);
    expect(api.requests.filter((request) => request === 'watch-list')).toHaveLength(2);
    await reflector.stop();
  });

  it('startReflector() reports a refusal that has nothing to do with watch-lists', async () => {
    const api = scriptedApi();
    const { reflector, errors } = await start(api);
    current(api).fail(refused(403, 'Forbidden'));
    await settle();
    expect(errors.map(({ error }) => error instanceof ReconcileError && error.code)).toEqual(['Forbidden']);
    await reflector.stop();
  });
});
