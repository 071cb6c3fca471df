import { describe, expect, it } from 'vitest';
import { drain } from '#lib/runtime/loop.ts';
import { ManualTimers } from '#test/unit/support/manual-timers.ts';

const draining = (stop: () => Promise<void>) => {
  const timers = new ManualTimers();
  const done: string[] = [];
  const log = { warn: () => void done.push('told') };
  const abandon = async (): Promise<void> => void done.push('abandoned');
  return { timers, done, drained: drain({ stop }, { log: log as never, abandon, timers }) };
};

describe('drain()', () => {
  it('drain() breaks nothing off when the passes end in time', async () => {
    const { timers, done, drained } = draining(async () => undefined);
    expect(await drained).toBe(true);
    expect(done).toEqual([]);
    expect(timers.pending).toEqual([]);
  });

  it('drain() breaks the requests off after two seconds when a write hangs', async () => {
    const { timers, done, drained } = draining(async () => new Promise(() => undefined));
    await timers.advance(1999);
    expect(done).toEqual([]);
    await timers.advance(1);
    expect(await drained).toBe(false);
    expect(done).toEqual(['told', 'abandoned']);
  });
});
