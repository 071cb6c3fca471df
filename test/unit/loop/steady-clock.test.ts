import { describe, expect, it } from 'vitest';
import { steadyClock } from '#lib/loop/steady-clock.ts';
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

  it('steadyClock() stands still when the wall clock is set back, until that has caught up', () => {
    const timers = new ManualTimers(1000);
    const now = steadyClock(timers);
    now();
    timers.stepWallClock(-100);
    timers.elapse(50);
    expect(now()).toBe(1000);
    timers.elapse(60);
    expect(now()).toBe(1010);
  });
});
