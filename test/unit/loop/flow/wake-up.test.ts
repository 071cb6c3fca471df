import { array, assert, asyncProperty, integer } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WatchedQuota } from '#lib/desired/rights/quota.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import { startManager } from '#lib/loop/manager/manager.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { FakeApi } from '#test/unit/support/fake-api.ts';
import { ManualTimers, settle } from '#test/unit/support/manual-timers.ts';
import { quotaExceeded } from '#test/unit/support/server-answers.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';

const MINUTE_MS = 60_000;

/** A shelf of three books with a quota of two pods, refused often enough that the hold lasts for minutes. */
const refusedForLong = async () => {
  const timers = new ManualTimers();
  const api = new FakeApi(timers, [shelf]);
  const podNames = (): string[] => api.all(Pod).map(({ metadata }) => metadata.name);
  const count = (hard: number, used = podNames().length): void =>
    api.editStatus(WatchedQuota, 'few', { hard: { pods: String(hard) }, used: { pods: String(used) } });
  const metadata = { name: 'few', namespace: 'default' };
  api.put(WatchedQuota, { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { hard: { pods: '2' } } });
  count(2);
  const { apiVersion, kind } = refOf(shelf);
  const spec = { books: ['a', 'b', 'c'] };
  api.put(refOf(shelf), { apiVersion, kind, metadata: { name: 'shelf', namespace: 'default' }, spec });
  const log = createLogger('silent');
  const manager = startManager({ kinds: [shelf], api: api.client, timers, random: () => 0.5, log });
  const creates = (): number => api.requests.filter(({ verb }) => verb === 'create').length;
  for (let tries = 0; creates() < 16; tries += 1) {
    await timers.advance(1000);
    if (tries > 3600) throw new Error('refused too rarely');
  }
  await timers.advance(2000);
  const before = creates();
  await timers.advance(MINUTE_MS);
  expect({ pods: podNames(), creates: creates() }).toEqual({ pods: ['a', 'b'], creates: before });
  return { timers, api, manager, podNames, count, creates };
};

describe('a write that a quota refused', () => {
  it.each([
    { change: 'is raised', act: ({ count }: Awaited<ReturnType<typeof refusedForLong>>) => count(5) },
    {
      change: 'is deleted',
      act: ({ api }: Awaited<ReturnType<typeof refusedForLong>>) => api.vanish(WatchedQuota, 'few'),
    },
  ])('is tried again within 200 ms when the quota $change', async ({ act }) => {
    const world = await refusedForLong();
    act(world);
    await world.timers.advance(200);
    expect(world.podNames()).toEqual(['a', 'b', 'c']);
    await world.manager.stop();
  });

  it('is not tried again when more is used, or less is allowed', async () => {
    const { timers, count, creates, manager } = await refusedForLong();
    const before = creates();
    count(2, 3);
    await timers.advance(MINUTE_MS / 4);
    count(1, 3);
    await timers.advance(MINUTE_MS / 4);
    expect(creates()).toBe(before);
    await manager.stop();
  });

  it('is tried again once when there is no room after all, and then when less is used', async () => {
    const { timers, count, creates, podNames, manager } = await refusedForLong();
    const before = creates();
    count(3, 3);
    await timers.advance(MINUTE_MS);
    expect(creates()).toBe(before + 1);
    count(3, 2);
    await timers.advance(200);
    expect(podNames()).toEqual(['a', 'b', 'c']);
    await manager.stop();
  });

  it('is tried again when the quota is raised while the refusal is under way', async () => {
    const { timers, api, count, podNames, manager } = await refusedForLong();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    let raised = false;
    count(3, 3);
    api.before = async ({ verb }) => {
      if (verb !== 'create' || raised) return;
      raised = true;
      // The watch event arrives before the answer to the create, and the admission of another API server still uses the old
      // quota.
      api.refuse = (request) => (request.verb === 'create' ? quotaExceeded('c') : undefined);
      count(5, 2);
      await answered;
    };
    await timers.advance(200);
    expect(raised).toBe(true);
    answer();
    await settle();
    api.refuse = () => undefined;
    expect(podNames()).toEqual(['a', 'b']);
    await timers.advance(1000);
    expect(podNames()).toEqual(['a', 'b', 'c']);
    await manager.stop();
  });

  it('is tried at most once per change, and at most once a second, however often the quota changes', async () => {
    const changes = array(integer({ min: 1, max: 1500 }), { minLength: 1, maxLength: 20 });
    await assert(
      asyncProperty(changes, async (steps) => {
        const { timers, api, count, creates, manager } = await refusedForLong();
        const before = creates();
        let passedMs = 0;
        for (const [index, afterMs] of steps.entries()) {
          // The quota is raised, and other clients use it up before the create of the loop.
          count(index + 3, index + 3);
          await timers.advance(afterMs);
          passedMs += afterMs;
        }
        const tries = creates() - before;
        expect(tries).toBeLessThanOrEqual(Math.min(steps.length, Math.ceil(passedMs / 1000)));
        api.vanish(WatchedQuota, 'few');
        await timers.advance(1200);
        expect(api.all(Pod)).toHaveLength(3);
        await manager.stop();
      }),
      { numRuns: 20 },
    );
  });
});
