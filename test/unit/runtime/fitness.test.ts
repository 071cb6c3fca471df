import { describe, expect, it } from 'vitest';
import { NotLeadingError } from '#lib/errors.ts';
import type { Acquired, Leadership } from '#lib/loop/election/leadership.ts';
import { fitnessOf, REST_MS, standDown, UNFIT } from '#lib/runtime/lease/fitness.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { ManualTimers, settle } from '#test/unit/support/manual-timers.ts';

/** A process that reports to the guardian, and the guardian's requests to stand down. */
const world = async () => {
  const stood: boolean[] = [];
  const { promise: acquired, resolve } = Promise.withResolvers<Acquired>();
  const leadership: Leadership = { acquired, mayWrite: () => true, untilMayWrite: async () => undefined };
  const { onReadiness, unfit } = fitnessOf({ leadership, stand: (stands) => stood.push(stands) });
  let reason: string | undefined;
  void unfit.then((given) => (reason = given));
  const lead = async (): Promise<void> => {
    resolve({ aloneSinceMs: 0 });
    await settle();
  };
  const become = async (isReady: boolean): Promise<void> => {
    onReadiness(isReady);
    await settle();
  };
  return { stood, lead, become, reason: () => reason };
};

describe('fitnessOf()', () => {
  it('fitnessOf() runs for leader while the process is ready, and a standby that is not only stops running', async () => {
    const { stood, become, reason } = await world();
    await become(true);
    await become(false);
    await become(true);
    expect([stood, reason()]).toEqual([[true, false, true], undefined]);
  });

  it('fitnessOf() reports a leader that is not ready any more', async () => {
    const { lead, become, reason } = await world();
    await become(true);
    await lead();
    expect(reason()).toBeUndefined();
    await become(false);
    expect(reason()).toBe(UNFIT);
  });

  it('fitnessOf() reports a process that took the lease just when it was not ready any more', async () => {
    const { lead, become, reason } = await world();
    await become(true);
    await become(false);
    await lead();
    expect(reason()).toBe(UNFIT);
  });
});

/** A process that stands down, and the result of its rest. */
const resting = async () => {
  const timers = new ManualTimers();
  const { promise: asked, resolve: ask } = Promise.withResolvers<string>();
  const done: string[] = [];
  const work = { closeAll: async () => void done.push('given back') };
  const end = standDown({ work, log: createLogger('silent'), asked, timers }).then(
    (reason) => done.push(reason),
    (error: unknown) => done.push(error instanceof NotLeadingError ? 'NotLeadingError' : String(error)),
  );
  await settle();
  return { timers, ask, done, end };
};

describe('standDown()', () => {
  it('standDown() gives the lease back at once, and ends the process after a minute', async () => {
    const { timers, done } = await resting();
    await timers.advance(REST_MS - 1);
    expect([REST_MS, done]).toEqual([60_000, ['given back']]);
    await timers.advance(1);
    expect(done).toEqual(['given back', 'NotLeadingError']);
  });

  it('standDown() does not keep a process that is asked to end', async () => {
    const { timers, ask, done, end } = await resting();
    ask('SIGTERM');
    await end;
    expect([done, timers.pending]).toEqual([['given back', 'SIGTERM'], []]);
  });
});
