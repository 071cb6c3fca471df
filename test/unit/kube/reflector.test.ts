import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConnectionError, InvariantError } from '#lib/errors.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { settle } from './manual-timers.ts';
import { breakAfter, current, page, refused, start } from './reflector-fixture.ts';
import { pod, scriptedApi } from './scripted-api.ts';

const slim = (object: ApiObject): ApiObject => ({ ...object, kind: 'Slim' });

const broken = (): never => {
  throw new TypeError('bug');
};

const fussy = (object: ApiObject): ApiObject => (object.metadata.name === 'b' ? slim(object) : broken());

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
    expect(api.listOptions.map(({ limit, namespace }) => [limit, namespace])).toEqual([
      [1, 'default'],
      [1, 'default'],
      [1, 'default'],
    ]);
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
    const api = scriptedApi(page(pod('a', '3')));
    const { reflector, store } = await start(api, { transform: slim });
    current(api).emit({ type: 'ADDED', object: pod('b', '11') });
    expect([...store.objects.values()].map(({ kind }) => kind)).toEqual(['Slim', 'Slim']);
    await reflector.stop();
  });

  it('startReflector() leaves out objects that the transform throws on, and reports it once', async () => {
    const api = scriptedApi(page(pod('a', '3'), pod('b', '4'), pod('c', '5')));
    const { reflector, store, errors, refusals } = await start(api, { transform: fussy });
    current(api).emit({ type: 'MODIFIED', object: pod('a', '11') });
    expect(store.names()).toEqual(['b@4']);
    expect(reflector.inspect().resourceVersion).toBe('11');
    expect([errors, refusals]).toEqual([[], [expect.any(InvariantError)]]);
    await reflector.stop();
  });

  it('startReflector() hands over the deletion of an object that the transform throws on', async () => {
    const api = scriptedApi(page(pod('b', '4')));
    const { reflector, store, refusals } = await start(api, {
      transform: (object) => {
        if (object.metadata.resourceVersion === '4') return object;
        throw new RangeError('Maximum call stack size exceeded');
      },
    });
    current(api).emit({ type: 'MODIFIED', object: pod('b', '11') });
    expect(store.names()).toEqual(['b@4']);
    current(api).emit({ type: 'DELETED', object: pod('b', '12') });
    expect(store.names()).toEqual([]);
    expect(refusals).toHaveLength(1);
    await reflector.stop();
  });

  it('startReflector() passes a label selector on, to lists and watches', async () => {
    const api = scriptedApi(page());
    const { reflector } = await start(api, { labelSelector: 'app=web' });
    expect([api.listOptions[0]?.labelSelector, current(api).options.labelSelector]).toEqual(['app=web', 'app=web']);
    await reflector.stop();
  });
});

describe('startReflector: watch', () => {
  it('startReflector() resumes from the last version of events and bookmarks when a watch ends', async () => {
    const api = scriptedApi(page(pod('a', '99')));
    const { reflector, timers, store } = await start(api, { silenceMs: Infinity });
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
    {
      reason: 'version ahead of the server',
      error: refused(504, 'Timeout', { cause: 'ResourceVersionTooLarge' }),
      reported: 1,
    },
  ])(
    'startReflector() lists anew and keeps the old store meanwhile when a watch fails with $reason',
    async ({ error, reported }) => {
      const api = scriptedApi(page(pod('a', '3')), { items: [pod('b', '30')], resourceVersion: '40' });
      const { reflector, timers, store, errors } = await start(api);
      await breakAfter(api, timers, 5000, error);
      expect([store.names(), api.requests.length]).toEqual([['a@3'], 2]);
      await timers.advance(800);
      expect(store.names()).toEqual(['b@30']);
      expect(api.requests).toEqual(['list', 'watch 10', 'list', 'watch 40']);
      expect(errors).toHaveLength(reported);
      await reflector.stop();
    },
  );

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
