import { describe, expect, it } from 'vitest';
import { refOf } from '#lib/kind/names.ts';
import { startManager } from '#lib/loop/manager/manager.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { FakeApi } from '#test/unit/support/fake-api.ts';
import { ManualTimers } from '#test/unit/support/manual-timers.ts';
import { randomOf } from '#test/unit/support/refused-crowd.ts';
import { serverBusy } from '#test/unit/support/server-answers.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';

const RESOURCES = 300;
const shelves = refOf(shelf);

/** Three hundred resources of three children, and the times of the loop's requests except for lists and watches. */
const crowd = () => {
  const timers = new ManualTimers();
  const api = new FakeApi(timers, [shelf]);
  const { apiVersion, kind } = shelves;
  for (let i = 0; i < RESOURCES; i += 1) {
    const metadata = { name: `s${i}`, namespace: 'default' };
    api.put(shelves, { apiVersion, kind, metadata, spec: { books: [`a${i}`, `b${i}`, `c${i}`] } });
  }
  const seconds: number[] = [];
  const log = createLogger('silent');
  const start = () => startManager({ kinds: [shelf], api: api.client, timers, random: randomOf(7), log });
  return { timers, api, seconds, start };
};

describe('the loop under an API server that is too busy', () => {
  it('sends few requests while all writes are answered 429, not in step, and all it has to do when it is over', async () => {
    const { timers, api, seconds, start } = crowd();
    let busy = true;
    api.refuse = ({ verb }) => {
      if (verb === 'list' || verb === 'watch' || !busy) return undefined;
      seconds.push(Math.floor(timers.elapsed() / 1000));
      return serverBusy(1);
    };
    const manager = start();
    await timers.advance(20_000);
    const perSecond = Array.from({ length: 20 }, (_, second) => seconds.filter((at) => at === second).length);
    expect(perSecond[0]).toBeLessThanOrEqual(40);
    expect(Math.max(...perSecond.slice(1))).toBeLessThanOrEqual(2);
    busy = false;
    await timers.advance(120_000);
    const counts = api.all(shelves).map((one) => (one['status'] as { count?: number } | undefined)?.count);
    expect(counts).toEqual(Array.from({ length: RESOURCES }, () => 3));
    await manager.stop();
  });

  it('stop() ends at once while writes wait for the API server', async () => {
    const { timers, api, start } = crowd();
    api.refuse = ({ verb }) => (verb === 'list' || verb === 'watch' ? undefined : serverBusy(60));
    const manager = start();
    await timers.advance(5000);
    let stopped = false;
    void manager.stop().then(() => (stopped = true));
    await timers.advance(0);
    expect(stopped).toBe(true);
  });
});
