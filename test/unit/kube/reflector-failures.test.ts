import { describe, expect, it } from 'vitest';
import { ConnectionError, InvariantError } from '#lib/errors.ts';
import type { ApiObject, WatchEvent } from '#lib/kube/interface/api.ts';
import { startReflector } from '#lib/kube/reflector/reflector.ts';
import { TooLargeError } from '#lib/kube/transport/malformed.ts';
import { manualTimers } from './manual-timers.ts';
import { breakAfter, current, page, pods, refused, start, storeOf } from './reflector-fixture.ts';
import { pod, type ScriptedApi, scriptedApi } from './scripted-api.ts';

describe('startReflector: back-off', () => {
  it('startReflector() doubles its delays up to 30 s when failures go on, and starts again after half a healthy minute', async () => {
    const api = scriptedApi(page());
    const { reflector, timers, errors } = await start(api);
    for (const lastedMs of [0, 0, 0, 0, 0, 0, 0, 0, 29_999, 30_000]) {
      await breakAfter(api, timers, lastedMs, new ConnectionError('lost'));
      await timers.advance(errors.at(-1)?.retryInMs ?? 0);
    }
    expect(errors.map(({ retryInMs }) => retryInMs)).toEqual([
      400, 800, 1600, 3200, 6400, 12_800, 15_000, 15_000, 15_000, 400,
    ]);
    await reflector.stop();
  });

  it.each([
    { when: 'the last attempt got no answer', error: new ConnectionError('lost'), askedMs: 0 },
    { when: 'the server refused the last attempt', error: refused(403, 'Forbidden'), askedMs: 0 },
    {
      when: 'the server asked for time',
      error: refused(429, 'TooManyRequests', { retryAfterMs: 7000 }),
      askedMs: 7000,
    },
  ])('relist() waits for $askedMs ms and for no back-off when $when', async ({ error, askedMs }) => {
    const api = scriptedApi(page(), page(pod('a', '3')));
    const { reflector, timers, store } = await start(api);
    await breakAfter(api, timers, 0, error);
    void reflector.relist({ isRestored: true });
    await timers.advance(Math.max(0, askedMs - 1));
    expect(store.names()).toEqual(askedMs > 0 ? [] : ['a@3']);
    await timers.advance(1);
    expect(store.names()).toEqual(['a@3']);
    await reflector.stop();
  });

  it('startReflector() waits as long as the server asks for, and a moment more, when it is busy', async () => {
    const api = scriptedApi(refused(429, 'TooManyRequests', { retryAfterMs: 7000 }), page(pod('a', '3')));
    const { reflector, timers, store } = await start(api);
    await timers.advance(7399);
    expect(api.requests).toEqual(['list']);
    await timers.advance(1);
    expect(store.names()).toEqual(['a@3']);
    await reflector.stop();
  });

  it('startReflector() keeps what it has when the server is too busy for a list', async () => {
    const busy = refused(429, 'TooManyRequests', { retryAfterMs: 7000 });
    const api = scriptedApi(page(pod('a', '3')), busy, { items: [pod('b', '11')], resourceVersion: '12' });
    const { reflector, timers, store, errors } = await start(api);
    await breakAfter(api, timers, 0, refused(410, 'Expired'));
    await timers.advance(5000);
    expect([store.names(), errors.map(({ error }) => error)]).toEqual([['a@3'], [busy]]);
    await timers.advance(5000);
    expect(store.names()).toEqual(['b@11']);
    await reflector.stop();
  });

  it('startReflector() waits 0.2 s at least when jitter would have it ask again at once', async () => {
    const api = scriptedApi(page(), page());
    const { reflector, timers } = await start(api, { random: () => 0 });
    await breakAfter(api, timers, 0, refused(410, 'Expired'));
    expect(timers.pending()).toEqual([200]);
    await reflector.stop();
  });

  it.each([
    { why: 'the server is busy', error: refused(429, 'TooManyRequests', { retryAfterMs: 1000 }) },
    { why: 'the server fails', error: refused(503, 'ServiceUnavailable') },
    { why: 'no answer comes', error: new ConnectionError('lost') },
  ])('startReflector() asks for a page again by itself when $why', async ({ error }) => {
    const first = { ...page(pod('a', '3')), continueToken: 'c1' };
    const second = { ...page(pod('b', '4')), continueToken: 'c2' };
    const api = scriptedApi(first, error, error, second, error, page(pod('c', '5')));
    const { reflector, timers, store, errors } = await start(api);
    await timers.advance(10_000);
    expect(api.requests.slice(0, 6)).toEqual(['list', 'list c1', 'list c1', 'list c1', 'list c2', 'list c2']);
    expect(store.names()).toEqual(['a@3', 'b@4', 'c@5']);
    expect(errors.map((failure) => failure.error)).toEqual([error, error, error]);
    await reflector.stop();
  });

  it('startReflector() lists from the first page when the token of a page that failed is too old', async () => {
    const first = { ...page(pod('a', '3')), continueToken: 'c1' };
    const busy = refused(429, 'TooManyRequests', { retryAfterMs: 1000 });
    const api = scriptedApi(first, busy, refused(410, 'Expired'), page(pod('b', '4')));
    const { reflector, timers, store } = await start(api);
    await timers.advance(10_000);
    expect(api.requests.slice(0, 4)).toEqual(['list', 'list c1', 'list c1', 'list']);
    expect(store.names()).toEqual(['b@4']);
    await reflector.stop();
  });

  it('startReflector() asks for no page again once it is stopped', async () => {
    const busy = refused(429, 'TooManyRequests', { retryAfterMs: 1000 });
    const api = scriptedApi({ ...page(), continueToken: 'c1' }, busy, busy);
    const { reflector, timers } = await start(api);
    await reflector.stop();
    await timers.advance(10_000);
    expect(api.requests).toEqual(['list', 'list c1']);
  });

  it('startReflector() asks for smaller pages when one is too large to be taken', async () => {
    const api = scriptedApi(new TooLargeError('64 MiB'), new TooLargeError('64 MiB'), page(pod('a', '3')));
    const { reflector, timers, store } = await start(api, { pageSize: 20 });
    await timers.advance(60_000);
    expect(api.listOptions.map(({ limit }) => limit)).toEqual([20, 3, 1]);
    expect(store.names()).toEqual(['a@3']);
    await reflector.stop();
  });

  it('startReflector() never gives up when rights and definition come late', async () => {
    const missing = [...Array(20)].map((_, index) =>
      index % 2 === 0 ? refused(403, 'Forbidden') : refused(404, 'NotFound'),
    );
    const api = scriptedApi(...missing, page(pod('a', '3')));
    const { reflector, timers, store, errors } = await start(api);
    await timers.advance(20 * 30_000);
    expect(await reflector.synced).toBe(true);
    expect(store.names()).toEqual(['a@3']);
    expect(new Set(errors.map(({ error }) => error.code))).toEqual(new Set(['Forbidden', 'NotFound']));
    await reflector.stop();
  });
});

describe('startReflector: sinks that throw', () => {
  it('startReflector() reports a bug and goes on behind the event when the sink throws on it', async () => {
    const api = scriptedApi(page());
    const store = storeOf();
    const event = (change: WatchEvent): void => {
      if (change.type === 'ADDED') throw new TypeError('bug');
      store.event(change);
    };
    const { reflector, timers, errors } = await start(api, { sink: { ...store, event } });
    current(api).emit({ type: 'ADDED', object: pod('a', '11') });
    current(api).emit({ type: 'MODIFIED', object: pod('b', '12') });
    expect(store.names()).toEqual(['b@12']);
    expect(errors).toEqual([{ error: expect.any(InvariantError), retryInMs: 0 }]);
    expect(errors[0]?.error.cause).toBeInstanceOf(TypeError);
    current(api).emit({ type: 'ADDED', object: pod('a', '13') });
    await breakAfter(api, timers, 0, new ConnectionError('lost'));
    await timers.advance(800);
    expect(api.requests.at(-1)).toBe('watch 13');
    await reflector.stop();
  });

  it('startReflector() lists again and is not synced when the sink throws on a list', async () => {
    const api = scriptedApi(page(pod('a', '3')), page(pod('a', '3')));
    const store = storeOf();
    let calls = 0;
    const replace = (items: readonly ApiObject[], resourceVersion: string): void => {
      calls += 1;
      if (calls === 1) throw new TypeError('bug');
      store.replace(items, resourceVersion);
    };
    const { reflector, timers, errors } = await start(api, { sink: { ...store, replace } });
    expect(errors.map(({ error }) => error)).toEqual([expect.any(InvariantError)]);
    await timers.advance(800);
    expect(await reflector.synced).toBe(true);
    expect([store.names(), api.requests]).toEqual([['a@3'], ['list', 'list', 'watch 10']]);
    await reflector.stop();
  });
});

describe('startReflector: stop', () => {
  const hour = 3_600_000;

  it('stop() ends it without another request when a list is under way', async () => {
    const api = scriptedApi();
    const { reflector, timers, store, errors } = await start(api);
    await reflector.stop();
    await timers.advance(hour);
    expect([api.requests, store.seen, errors]).toEqual([['list'], [], []]);
    expect(await reflector.synced).toBe(false);
  });

  it('stop() ends it without another page when it comes between two', async () => {
    const api = scriptedApi({ items: [pod('a', '3')], resourceVersion: '10', continueToken: 'c1' });
    const list: ScriptedApi['list'] = async (resource, options) => {
      const answer = await api.list(resource, options);
      void stop?.();
      return answer;
    };
    let stop: (() => Promise<void>) | undefined;
    const started = await start(api, { api: { ...api, list } });
    stop = () => started.reflector.stop();
    await started.reflector.stop();
    expect([api.requests.includes('watch 10'), started.store.seen]).toEqual([false, []]);
  });

  it('stop() ends it without another request when it waits for the next attempt', async () => {
    const api = scriptedApi(refused(500, 'InternalError'));
    const { reflector, timers } = await start(api);
    expect(timers.pending()).toEqual([400]);
    await reflector.stop();
    expect(timers.pending()).toEqual([]);
    await timers.advance(hour);
    expect(api.requests).toEqual(['list']);
  });

  it('stop() ends it without another request or event when a watch is open', async () => {
    const api = scriptedApi(page());
    const { reflector, timers, store, errors } = await start(api);
    const watch = current(api);
    const stopped = reflector.stop();
    watch.emit({ type: 'ADDED', object: pod('late', '11') });
    await stopped;
    await timers.advance(hour);
    expect([api.requests, store.seen, errors]).toEqual([['list', 'watch 10'], ['replace 10'], []]);
    expect(await reflector.synced).toBe(true);
  });

  it('stop() asks for nothing at all when it follows the start at once', async () => {
    const api = scriptedApi(page());
    const sink = storeOf();
    const options = { api, resource: pods, sink, timers: manualTimers(), random: () => 0, onError: () => {} };
    const reflector = startReflector(options);
    await Promise.all([reflector.stop(), reflector.stop()]);
    expect([api.requests, await reflector.synced]).toEqual([[], false]);
  });
});
