import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError, ConnectionError, InvariantError, type ReconcileError } from '#lib/errors.ts';
import type { ApiObject, WatchEvent } from '#lib/kube/api.ts';
import { type ReflectorOptions, startReflector } from '#lib/kube/reflector.ts';
import { type ManualTimers, manualTimers, settle } from './manual-timers.ts';
import { type OpenWatch, pod, type ScriptedApi, scriptedApi } from './scripted-api.ts';

const pods = { apiVersion: 'v1', kind: 'Pod', plural: 'pods', scope: 'Namespaced' } as const;

const refused = (httpStatus: number, reason: string, more: { retryAfterMs?: number; cause?: string } = {}): ApiError =>
  new ApiError('watch pods', {
    httpStatus,
    reason,
    message: 'no',
    ...(more.retryAfterMs !== undefined && { retryAfterMs: more.retryAfterMs }),
    ...(more.cause !== undefined && { causes: [{ reason: more.cause }] }),
  });

/** A sink that keeps what a cache would keep. */
const storeOf = () => {
  const objects = new Map<string, ApiObject>();
  const seen: string[] = [];
  return {
    objects,
    seen,
    names: () => [...objects.values()].map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`).toSorted(),
    replace: (items: readonly ApiObject[], resourceVersion: string) => {
      seen.push(`replace ${resourceVersion}`);
      objects.clear();
      for (const item of items) objects.set(item.metadata.uid, item);
    },
    event: (event: WatchEvent) => {
      seen.push(event.type);
      if (event.type === 'BOOKMARK') return;
      if (event.type === 'DELETED') objects.delete(event.object.metadata.uid);
      else objects.set(event.object.metadata.uid, event.object);
    },
  };
};

const start = async (api: ScriptedApi, more: Partial<ReflectorOptions> = {}) => {
  const timers = manualTimers();
  const store = storeOf();
  const errors: { error: ReconcileError; retryInMs: number }[] = [];
  const reflector = startReflector({
    api,
    resource: pods,
    sink: store,
    timers,
    random: () => 0.5,
    onError: (error, retryInMs) => errors.push({ error, retryInMs }),
    ...more,
  });
  await settle();
  return { reflector, timers, store, errors };
};

/** The watch that is open now. */
const current = (api: ScriptedApi): OpenWatch => api.watches.at(-1)!;

/** Lets a watch last, then break. */
const breakAfter = async (api: ScriptedApi, timers: ManualTimers, ms: number, error: unknown): Promise<void> => {
  await timers.advance(ms);
  current(api).fail(error);
  await settle();
};

const page = (...items: ApiObject[]) => ({ items, resourceVersion: '10' });

describe('startReflector: list', () => {
  it('startReflector() fills the sink once with all pages when a list has several', async () => {
    const api = scriptedApi(
      { items: [pod('a', '3')], resourceVersion: '10', continueToken: 'c1' },
      { items: [pod('b', '4')], resourceVersion: '10', continueToken: 'c2' },
      { items: [pod('c', '5')], resourceVersion: '10' },
    );
    const { reflector, store } = await start(api, { pageSize: 1, namespace: 'default' });
    expect(await reflector.synced).toBe(true);
    expect(store.names()).toEqual(['a@3', 'b@4', 'c@5']);
    expect(store.seen).toEqual(['replace 10']);
    expect(api.requests).toEqual(['list', 'list c1', 'list c2', 'watch 10']);
    expect(api.listOptions.map(({ limit, namespace }) => [limit, namespace])).toEqual(Array(3).fill([1, 'default']));
    expect(current(api).options.namespace).toBe('default');
    await reflector.stop();
  });

  it('startReflector() lists from scratch when a continue token expires', async () => {
    const api = scriptedApi(
      { items: [pod('a', '3')], resourceVersion: '10', continueToken: 'c1' },
      refused(410, 'Expired'),
      { items: [pod('b', '11')], resourceVersion: '12' },
    );
    const { reflector, timers, store, errors } = await start(api);
    await timers.advance(800);
    expect(store.names()).toEqual(['b@11']);
    expect(api.requests).toEqual(['list', 'list c1', 'list', 'watch 12']);
    expect(errors).toEqual([]);
    await reflector.stop();
  });

  it('startReflector() hands over transformed objects when it is given a transform', async () => {
    const transform = (object: ApiObject): ApiObject => ({ ...object, kind: 'Slim' });
    const api = scriptedApi(page(pod('a', '3')));
    const { reflector, store } = await start(api, { transform });
    current(api).emit({ type: 'ADDED', object: pod('b', '11') });
    expect([...store.objects.values()].map(({ kind }) => kind)).toEqual(['Slim', 'Slim']);
    await reflector.stop();
  });

  it('startReflector() hands over the object as it came when the transform throws', async () => {
    const transform = (): never => {
      throw new TypeError('bug');
    };
    const { reflector, store, errors } = await start(scriptedApi(page(pod('a', '3'))), { transform });
    expect(store.names()).toEqual(['a@3']);
    expect(errors.map(({ error }) => error)).toEqual([expect.any(InvariantError)]);
    await reflector.stop();
  });
});

describe('startReflector: watch', () => {
  it('startReflector() resumes from the last version of events and bookmarks when a watch ends', async () => {
    const api = scriptedApi(page(pod('a', '99')));
    const { reflector, timers, store } = await start(api);
    await timers.advance(300_000);
    current(api).end();
    await settle();
    expect(api.requests.at(-1), 'never from an item of the list').toBe('watch 10');
    current(api).emit({ type: 'ADDED', object: pod('b', '11') });
    current(api).emit({ type: 'DELETED', object: pod('a', '12') });
    await timers.advance(300_000);
    current(api).end();
    await settle();
    expect(api.requests.at(-1)).toBe('watch 12');
    current(api).emit({ type: 'BOOKMARK', resourceVersion: '50' });
    await timers.advance(300_000);
    current(api).end();
    await settle();
    expect(api.requests).toEqual(['list', 'watch 10', 'watch 10', 'watch 12', 'watch 50']);
    expect(store.names()).toEqual(['b@11']);
    expect(store.seen).toEqual(['replace 10', 'ADDED', 'DELETED', 'BOOKMARK']);
    await reflector.stop();
  });

  it('startReflector() asks for watches of 300 to 600 s when random is anything', async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), async (roll) => {
        const api = scriptedApi(page());
        const { reflector } = await start(api, { random: () => roll });
        const { timeoutSeconds } = current(api).options;
        expect(Number.isInteger(timeoutSeconds) && timeoutSeconds >= 300 && timeoutSeconds <= 600).toBe(true);
        await reflector.stop();
      }),
    );
  });

  it.each([
    { reason: '410 Expired', error: refused(410, 'Expired'), reported: 0 },
    { reason: '410 Gone in the stream', error: refused(410, 'Gone'), reported: 0 },
    { reason: '400, version not understood', error: refused(400, 'BadRequest'), reported: 1 },
    { reason: '404, resource gone', error: refused(404, 'NotFound'), reported: 1 },
    { reason: 'version ahead of the server', error: refused(504, 'Timeout', { cause: 'ResourceVersionTooLarge' }), reported: 1 },
  ])('startReflector() lists anew and keeps the old store meanwhile when a watch fails with $reason', async ({ error, reported }) => {
    const api = scriptedApi(page(pod('a', '3')), { items: [pod('b', '30')], resourceVersion: '40' });
    const { reflector, timers, store, errors } = await start(api);
    await breakAfter(api, timers, 5000, error);
    expect([store.names(), api.requests.length]).toEqual([['a@3'], 2]);
    await timers.advance(800);
    expect(store.names()).toEqual(['b@30']);
    expect(api.requests).toEqual(['list', 'watch 10', 'list', 'watch 40']);
    expect(errors).toHaveLength(reported);
    await reflector.stop();
  });

  it.each([
    { reason: '401', error: refused(401, 'Unauthorized') },
    { reason: '403', error: refused(403, 'Forbidden') },
    { reason: '500', error: refused(500, 'InternalError') },
    { reason: 'a lost connection', error: new ConnectionError('lost') },
  ])('startReflector() reports and resumes when a watch fails with $reason', async ({ error }) => {
    const api = scriptedApi(page(pod('a', '3')));
    const { reflector, timers, store, errors } = await start(api);
    current(api).emit({ type: 'MODIFIED', object: pod('a', '15') });
    await breakAfter(api, timers, 5000, error);
    expect(errors).toEqual([{ error, retryInMs: 400 }]);
    await timers.advance(400);
    expect(api.requests).toEqual(['list', 'watch 10', 'watch 15']);
    expect(store.names()).toEqual(['a@15']);
    await reflector.stop();
  });

  it('startReflector() waits 1 s from start to start when watches end at once again and again', async () => {
    const api = scriptedApi(page());
    const { reflector, timers } = await start(api);
    for (let round = 0; round < 5; round += 1) {
      current(api).end();
      await settle();
      await timers.advance(999);
      expect(api.watches).toHaveLength(round + 1);
      await timers.advance(1);
      expect(api.watches).toHaveLength(round + 2);
    }
    await reflector.stop();
  });

  it('startReflector() waits no longer than 1 s when the clock was set back during a short watch', async () => {
    const api = scriptedApi(page());
    const { reflector, timers } = await start(api);
    await timers.advance(-3_600_000);
    current(api).end();
    await settle();
    expect(timers.pending()).toEqual([1000]);
    await reflector.stop();
  });
});

describe('startReflector: back-off', () => {
  it('startReflector() doubles its delays up to 30 s when failures go on, and starts again after 2 healthy minutes', async () => {
    const api = scriptedApi(page());
    const { reflector, timers, errors } = await start(api);
    for (let round = 0; round < 8; round += 1) {
      await breakAfter(api, timers, 0, new ConnectionError('lost'));
      await timers.advance(30_000);
    }
    await breakAfter(api, timers, 119_999, new ConnectionError('lost'));
    await timers.advance(30_000);
    await breakAfter(api, timers, 120_000, new ConnectionError('lost'));
    expect(errors.map(({ retryInMs }) => retryInMs)).toEqual([
      400, 800, 1600, 3200, 6400, 12_800, 15_000, 15_000, 15_000, 400,
    ]);
    await reflector.stop();
  });

  it.each([
    { reason: 'it asks for 7 s', retryAfterMs: 7000, delayMs: 7400 },
    { reason: 'it asks for a day', retryAfterMs: 86_400_000, delayMs: 300_400 },
  ])('startReflector() waits $delayMs ms when the server is busy and $reason', async ({ retryAfterMs, delayMs }) => {
    const api = scriptedApi(refused(429, 'TooManyRequests', { retryAfterMs }), page(pod('a', '3')));
    const { reflector, timers, store } = await start(api);
    await timers.advance(delayMs - 1);
    expect(api.requests).toEqual(['list']);
    await timers.advance(1);
    expect(store.names()).toEqual(['a@3']);
    await reflector.stop();
  });

  it('startReflector() never gives up when rights and definition come late', async () => {
    const missing = [...Array(20)].map((_, index) => (index % 2 === 0 ? refused(403, 'Forbidden') : refused(404, 'NotFound')));
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
      void stop();
      return answer;
    };
    let stop = async (): Promise<void> => {};
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
