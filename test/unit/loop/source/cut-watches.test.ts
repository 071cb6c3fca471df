import { describe, expect, it } from 'vitest';
import { ApiError, ConnectionError } from '#lib/errors.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';
import { BrokenStreamError } from '#lib/kube/transport/malformed.ts';
import { startManager } from '#lib/loop/manager/manager.ts';
import { WatchStanding } from '#lib/loop/source/standing.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { FakeApi } from '#test/unit/support/fake-api.ts';
import { ManualTimers } from '#test/unit/support/manual-timers.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';

const MINUTE_MS = 60_000;
/** Time after which load balancers cut a connection without data; bookmarks come only each minute. */
const CUT_MS = 35_000;

/** A loop whose watches are cut, and the times of the begin and end of each watch. */
const world = async () => {
  const timers = new ManualTimers();
  const api = new FakeApi(timers, [shelf]);
  const gapsMs: number[] = [];
  let endedMs: number | undefined;
  const watch: KubeApi['watch'] = async (resource, options, onEvent) => {
    const isPods = resource.plural === Pod.plural;
    if (isPods && endedMs !== undefined) gapsMs.push(timers.elapsed() - endedMs);
    const cut = new AbortController();
    options.signal.addEventListener('abort', () => cut.abort(), { once: true });
    const cancel = timers.setTimer(CUT_MS, () => cut.abort());
    await api.client.watch(resource, { ...options, signal: cut.signal }, onEvent);
    cancel();
    if (isPods) endedMs = timers.elapsed();
    if (!options.signal.aborted) throw new BrokenStreamError(`Cannot watch ${resource.plural}: it broke off`);
  };
  const readiness: boolean[] = [];
  const manager = startManager({
    kinds: [shelf],
    api: { ...api.client, watch },
    timers,
    random: () => 0.9,
    log: createLogger('silent'),
    onReadiness: (isReady) => readiness.push(isReady),
  });
  await manager.started;
  return { timers, api, manager, readiness, gapsMs };
};

describe('watches that are cut before anything comes', () => {
  it('startManager() stays ready, and reports no problem', async () => {
    const { timers, manager, readiness } = await world();
    await timers.advance(30 * MINUTE_MS);
    expect([readiness, manager.problems()]).toEqual([[true], []]);
    await manager.stop();
  });

  it('startManager() goes on watching at once each time', async () => {
    const { timers, api, manager, gapsMs } = await world();
    await timers.advance(30 * MINUTE_MS);
    expect(Math.max(...gapsMs)).toBeLessThanOrEqual(1000);
    const { apiVersion, kind } = refOf(shelf);
    const metadata = { name: 'late', namespace: 'default' };
    api.put(refOf(shelf), { apiVersion, kind, metadata, spec: { books: ['book'] } });
    await timers.advance(2000);
    expect(api.all(Pod)).toHaveLength(1);
    await manager.stop();
  });
});

describe('Standing', () => {
  it('Standing settles when the server asks to wait for five minutes after each of its errors', () => {
    const standing = new WatchStanding();
    const away = { httpStatus: 503, reason: 'ServiceUnavailable', message: 'maintenance', retryAfterMs: 300_000 };
    const error = new ApiError('list', away);
    standing.failed(error, 0);
    standing.failed(error, 330_000);
    expect(standing.isSettled).toBe(true);
  });

  it('Standing is fit after two watches that came to nothing five and a half minutes apart', () => {
    const standing = new WatchStanding();
    standing.filled();
    standing.failed(new ConnectionError('did not end in time'), 0);
    standing.failed(new ConnectionError('did not end in time'), 331_000);
    expect(standing.isUnfit).toBe(false);
  });
});
