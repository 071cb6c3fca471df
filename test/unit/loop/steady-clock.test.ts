import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { steadyClock } from '#lib/loop/context/steady-clock.ts';
import { ManualTimers } from '#test/unit/support/manual-timers.ts';

describe('steadyClock()', () => {
  it('steadyClock() goes with the wall clock when that goes forward', () => {
    const timers = new ManualTimers(1000);
    const now = steadyClock(timers);
    expect(now()).toBe(1000);
    timers.elapse(5);
    expect(now()).toBe(1005);
    timers.stepWallClock(60_000);
    expect(now()).toBe(61_005);
  });

  it('steadyClock() goes on at the pace of time when the wall clock is set back', () => {
    const timers = new ManualTimers(1000);
    const now = steadyClock(timers);
    timers.stepWallClock(-3_600_000);
    expect(now()).toBe(1000);
    timers.elapse(50);
    expect(now()).toBe(1050);
  });

  it('steadyClock() goes with the wall clock again when that has overtaken it', () => {
    const timers = new ManualTimers(1000);
    const now = steadyClock(timers);
    timers.stepWallClock(-100);
    timers.elapse(50);
    timers.stepWallClock(500);
    expect(now()).toBe(1450);
  });

  it('steadyClock() never steps back, whatever the wall clock does', () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: -100_000, max: 100_000 }), fc.nat({ max: 5000 })));
    fc.assert(
      fc.property(steps, (all) => {
        const timers = new ManualTimers();
        const now = steadyClock(timers);
        const seen = all.map(([stepMs, elapsedMs]) => {
          timers.stepWallClock(stepMs);
          timers.elapse(elapsedMs);
          return now();
        });
        expect(seen).toEqual(seen.toSorted((a, b) => a - b));
      }),
    );
  });
});
