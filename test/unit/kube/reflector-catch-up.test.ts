import { describe, expect, it } from 'vitest';
import { ConnectionError } from '#lib/errors.ts';
import type { ApiPage } from '#lib/kube/interface/api.ts';
import { settle } from './manual-timers.ts';
import { current, page, refused, start } from './reflector-fixture.ts';
import { pod, scriptedApi } from './scripted-api.ts';

const bookmark = (resourceVersion: string) => ({ type: 'BOOKMARK', resourceVersion }) as const;

/** The server's answer to a list of one object, of which only the version is used. */
const newest = (resourceVersion: string): ApiPage => ({
  items: [pod('a', '3')],
  resourceVersion,
  continueToken: 'more',
});

/**
 * A reflector with a live watch that has delivered everything up to 10; a second later a caller asks for the newest
 * state.
 */
const live = async (...lists: (ApiPage | Error)[]) => {
  const api = scriptedApi(page(pod('a', '3')), ...lists);
  const { reflector, timers, store } = await start(api);
  await timers.advance(1000);
  let answer: boolean | undefined;
  const ask = async (sinceMs = timers.elapsed()): Promise<void> => {
    void reflector.catchUp(sinceMs).then((value) => (answer = value));
    await settle();
  };
  return { api, reflector, timers, store, ask, answer: () => answer };
};

describe('catchUp()', () => {
  it('catchUp() asks nothing when everything was read since then', async () => {
    const { api, ask, answer } = await live();
    await ask(-1);
    expect([answer(), api.requests]).toEqual([true, ['list', 'watch 10']]);
  });

  it('catchUp() asks for one object, and lets the watch go on, when that has brought what the server has', async () => {
    const { api, ask, answer } = await live(newest('10'));
    await ask();
    expect([answer(), api.requests]).toEqual([true, ['list', 'watch 10', 'list']]);
    expect(api.listOptions[1]).toMatchObject({ limit: 1 });
  });

  it('catchUp() lists nothing: it resumes the watch for some seconds, and waits for the bookmark at its end', async () => {
    const { api, timers, store, ask, answer } = await live(newest('15'));
    await ask();
    expect(api.requests).toEqual(['list', 'watch 10', 'list', 'watch 10']);
    expect(current(api).options.timeoutSeconds).toBe(3);
    current(api).emit({ type: 'ADDED', object: pod('b', '12') });
    await settle();
    expect(answer()).toBeUndefined();
    current(api).emit(bookmark('15'));
    await settle();
    expect([answer(), store.names()]).toEqual([true, ['a@3', 'b@12']]);
    await timers.advance(2000);
    current(api).end();
    await settle();
    expect(api.requests.at(-1)).toBe('watch 15');
    expect(current(api).options.timeoutSeconds).toBeGreaterThanOrEqual(300);
  });

  it('catchUp() is content with an event that is as new', async () => {
    const { api, ask, answer } = await live(newest('15'));
    await ask();
    current(api).emit({ type: 'ADDED', object: pod('b', '16') });
    await settle();
    expect(answer()).toBe(true);
  });

  it.each([
    {
      how: 'ends without having come so far',
      end: async ({ api }: Awaited<ReturnType<typeof live>>) => current(api).end(),
    },
    {
      how: 'does not end as agreed',
      end: async ({ timers }: Awaited<ReturnType<typeof live>>) => timers.advance(5000),
    },
    {
      how: 'breaks',
      end: async ({ api, timers }: Awaited<ReturnType<typeof live>>) => {
        current(api).fail(new ConnectionError('reset'));
        await timers.advance(1000);
      },
    },
  ])('catchUp() reads everything when the watch $how', async ({ end }) => {
    const world = await live(newest('15'), { ...page(pod('b', '12')), resourceVersion: '15' });
    await world.ask();
    await world.timers.advance(2000);
    current(world.api).emit(bookmark('11'));
    await end(world);
    await settle();
    expect([world.answer(), world.api.requests.filter((request) => request === 'list')]).toEqual([
      true,
      ['list', 'list', 'list'],
    ]);
    expect(world.store.names()).toEqual(['b@12']);
  });

  it('catchUp() reads everything when the server does not say how far it is', async () => {
    const { api, store, ask, answer } = await live(refused(500, 'InternalError'), page(pod('b', '12')));
    await ask();
    expect([answer(), api.requests]).toEqual([true, ['list', 'watch 10', 'list', 'list', 'watch 10']]);
    expect(store.names()).toEqual(['b@12']);
  });

  it('catchUp() reads everything when versions cannot be compared', async () => {
    const { api, ask, answer } = await live(newest('opaque'), page(pod('b', '12')));
    await ask();
    current(api).end();
    await settle();
    expect(answer()).toBe(true);
  });

  it('catchUp() is answered with false at stop()', async () => {
    const { reflector, ask, answer } = await live(newest('15'));
    await ask();
    await reflector.stop();
    await settle();
    expect([answer(), await reflector.catchUp(0)]).toEqual([false, false]);
  });
});
