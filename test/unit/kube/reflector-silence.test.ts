import { describe, expect, it } from 'vitest';
import { ConnectionError } from '#lib/errors.ts';
import { current, page, refused, start } from './reflector-fixture.ts';
import { pod, scriptedApi } from './scripted-api.ts';

const bookmark = (resourceVersion: string) => ({ type: 'BOOKMARK', resourceVersion }) as const;

describe('startReflector: silence', () => {
  it('startReflector() lists when nothing comes for 90 s after a bookmark, as storage that was restored is silent, too', async () => {
    const api = scriptedApi(page(pod('a', '3')), { items: [pod('b', '25')], resourceVersion: '30' });
    const { reflector, timers, store, errors } = await start(api);
    current(api).emit(bookmark('20'));
    await timers.advance(89_999);
    expect(api.requests).toEqual(['list', 'watch 10']);
    await timers.advance(1);
    expect(errors.map(({ error }) => error)).toEqual([expect.any(ConnectionError)]);
    expect(errors[0]?.error.message).toContain('nothing came for 90000 ms');
    await timers.advance(400);
    expect([api.requests, store.names()]).toEqual([['list', 'watch 10', 'list', 'watch 30'], ['b@25']]);
    await reflector.stop();
  });

  it('startReflector() counts from the last thing that came, and sets one timer only', async () => {
    const api = scriptedApi(page());
    const { reflector, timers, errors } = await start(api, { silenceMs: 1000 });
    current(api).emit(bookmark('20'));
    for (let version = 21; version < 41; version += 1) {
      await timers.advance(900);
      current(api).emit({ type: 'ADDED', object: pod('a', String(version)) });
      expect(timers.pending()).toHaveLength(1);
    }
    await timers.advance(999);
    expect(errors).toEqual([]);
    await timers.advance(1);
    expect(errors).toHaveLength(1);
    await reflector.stop();
  });

  it('startReflector() leaves the end to the client when the server has never sent a bookmark', async () => {
    const api = scriptedApi(page());
    const { reflector, timers } = await start(api);
    current(api).emit({ type: 'ADDED', object: pod('a', '11') });
    await timers.advance(600_000);
    expect([api.requests, timers.pending()]).toEqual([['list', 'watch 10'], []]);
    await reflector.stop();
  });

  it('startReflector() is strict with the next watch, and gives up being so when that one is silent from the start', async () => {
    const later = { items: [], resourceVersion: '20' };
    const api = scriptedApi(page(), later, later, { items: [], resourceVersion: '30' });
    const { reflector, timers, errors } = await start(api);
    current(api).emit(bookmark('20'));
    await timers.advance(300_000);
    await timers.advance(600_000);
    expect(api.requests).toEqual(['list', 'watch 10', 'list', 'watch 20', 'list', 'watch 20']);
    expect(errors, 'the second silence may be that of an idle server').toHaveLength(1);
    current(api).emit(bookmark('30'));
    await timers.advance(100_000);
    expect(api.requests.slice(-2), 'strict again').toEqual(['list', 'watch 30']);
    await reflector.stop();
  });

  it('startReflector() lists without a report when a watch that resumes from a bookmark is silent, as on an idle server', async () => {
    const api = scriptedApi(page(), { items: [], resourceVersion: '20' });
    const { reflector, timers, errors } = await start(api);
    current(api).emit(bookmark('20'));
    current(api).end();
    await timers.advance(600_000);
    expect(api.requests).toEqual(['list', 'watch 10', 'watch 20', 'list', 'watch 20']);
    expect(errors).toEqual([]);
    await reflector.stop();
  });

  it('startReflector() stays strict when a watch fails for another reason', async () => {
    const api = scriptedApi(page());
    const { reflector, timers } = await start(api);
    current(api).emit(bookmark('20'));
    current(api).fail(refused(500, 'InternalError'));
    await timers.advance(800 + 90_000);
    expect(api.requests.slice(0, 4)).toEqual(['list', 'watch 10', 'watch 20', 'list']);
    await reflector.stop();
  });
});

describe('startReflector: lists that are older than what is known', () => {
  const known = page(pod('a', '3'), pod('b', '9'));
  const old = { items: [pod('a', '3')], resourceVersion: '5' };
  const expired = refused(410, 'Expired');

  it('startReflector() keeps what it has when a replica that lags behind answers once or twice', async () => {
    const api = scriptedApi(known, old, old, { items: [pod('b', '12')], resourceVersion: '12' });
    const { reflector, timers, store, errors } = await start(api);
    current(api).fail(expired);
    await timers.advance(800);
    await timers.advance(800);
    expect([store.names(), api.requests.length]).toEqual([['a@3', 'b@9'], 4]);
    expect(errors[0]?.error.message).toContain('version 5, older than 10');
    await timers.advance(60_000);
    expect([store.names(), store.seen]).toEqual([['b@12'], ['replace 10', 'replace 12']]);
    await reflector.stop();
  });

  it('startReflector() believes the third in a row, as after a restore from a backup', async () => {
    const api = scriptedApi(known, old, old, old);
    const { reflector, timers, store, errors } = await start(api);
    current(api).fail(refused(504, 'Timeout', { cause: 'ResourceVersionTooLarge' }));
    await timers.advance(60_000);
    expect([store.names(), store.seen]).toEqual([['a@3'], ['replace 10', 'replace 5']]);
    expect(errors).toHaveLength(3);
    expect(api.requests.at(-1)).toBe('watch 5');
    await reflector.stop();
  });

  it('startReflector() cannot compare versions that are no numbers, and believes them', async () => {
    const api = scriptedApi(known, { items: [], resourceVersion: 'a1' }, { items: [], resourceVersion: '7' });
    const { reflector, timers, store } = await start(api);
    current(api).fail(expired);
    await timers.advance(800);
    current(api).fail(expired);
    await timers.advance(800);
    expect(store.seen).toEqual(['replace 10', 'replace a1', 'replace 7']);
    await reflector.stop();
  });

  it('startReflector() does not take for silence what it could not read, as the process stood still', async () => {
    const api = scriptedApi(page());
    const { reflector, timers, errors } = await start(api, { silenceMs: 1000 });
    current(api).emit(bookmark('20'));
    // In a turn of the event loop timers run first, then arrived data.
    timers.setTimer(999.5, () => timers.setTimer(0.5, () => current(api).emit(bookmark('21'))));
    await timers.advance(1500);
    expect([errors, api.requests]).toEqual([[], ['list', 'watch 10']]);
    await reflector.stop();
  });
});
