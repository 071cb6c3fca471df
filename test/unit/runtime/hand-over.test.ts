import { describe, expect, it, vi } from 'vitest';
import { Closers } from '#lib/runtime/closers.ts';
import { drain, handOver } from '#lib/runtime/lease/hand-over.ts';
import { ManualTimers } from '#test/unit/support/manual-timers.ts';

const draining = (stop: () => Promise<void>) => {
  const timers = new ManualTimers();
  const done: string[] = [];
  const log = { warn: () => void done.push('told') };
  const abandon = async (): Promise<void> => void done.push('abandoned');
  return { timers, done, drained: drain({ stop }, { log, abandon, timers }) };
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

/** The parts that were closed, in order. */
const ended = async (stop: () => Promise<void>) => {
  const done: string[] = [];
  const ending = (what: string) => async () => void done.push(what);
  const log = { warn: () => undefined, error: () => undefined };
  const closers = new Closers({ log });
  closers.push('rest', ending('rest'));
  const [recorder, guardian] = [{ stop: ending('events') }, { stop: ending('lease') }];
  const client = { abandon: ending('abandoned') };
  handOver(closers, { manager: { stop }, recorder, guardian, client, log });
  vi.useFakeTimers();
  const closed = closers.closeAll();
  await vi.advanceTimersByTimeAsync(3000);
  vi.useRealTimers();
  await closed;
  return done;
};

describe('handOver()', () => {
  it('handOver() gives the lease back after passes and events, and before all else', async () => {
    expect(await ended(async () => undefined)).toEqual(['events', 'lease', 'rest']);
  });

  it('handOver() breaks off what hangs, and gives the lease back without waiting for events', async () => {
    expect(await ended(async () => new Promise(() => undefined))).toEqual(['abandoned', 'lease', 'rest']);
  });
});
