import { describe, expect, it } from 'vitest';
import { SimulationError } from '#lib/errors.ts';
import { VirtualClock } from '#lib/sim/world/step/clock.ts';

const START_MS = 1_700_000_000_000;

/** A clock whose timers record their calls. */
const bench = () => {
  const clock = new VirtualClock(START_MS);
  const fired: string[] = [];
  const set = (owner: string, delayMs: number, name: string) =>
    clock.timersOf(owner).setTimer(delayMs, () => fired.push(name));
  return { clock, fired, set };
};

describe('VirtualClock', () => {
  it('advances only on request, on both clocks of a host', () => {
    const { clock } = bench();
    const timers = clock.timersOf('a');
    expect([timers.now(), timers.elapsed()]).toEqual([START_MS, 0]);
    clock.advanceTo(1500);
    expect([timers.now(), timers.elapsed(), clock.nowMs]).toEqual([START_MS + 1500, 1500, START_MS + 1500]);
  });

  it('advanceTo() throws SimulationError for a moment that is over, and says what to do instead', () => {
    const { clock } = bench();
    clock.advanceTo(1500);
    expect(() => clock.advanceTo(1499)).toThrow(SimulationError);
    expect(() => clock.advanceTo(1499)).toThrow('Time cannot go back: it is +1500 ms, and +1499 ms was requested');
    expect(() => clock.advanceTo(Number.NaN)).toThrow(SimulationError);
    expect(clock.elapsedMs).toBe(1500);
  });

  it('jump() sets the wall of one host, and neither its elapsed time nor what is due', () => {
    const { clock, set } = bench();
    set('a', 100, 'timer');
    clock.jump('a', -3_600_000);
    clock.jump('a', 10);
    expect(clock.timersOf('a').now()).toBe(START_MS - 3_600_000 + 10);
    expect(clock.timersOf('b').now()).toBe(START_MS);
    expect([clock.timersOf('a').elapsed(), clock.nextDueMs('a')]).toEqual([0, 100]);
  });

  it('fire() calls the timer of a host that is due first, and of those due together the one set first', () => {
    const { clock, fired, set } = bench();
    set('a', 200, 'late');
    set('a', 100, 'first');
    set('a', 100, 'second');
    set('b', 50, 'of another');
    clock.advanceTo(100);
    clock.fire('a');
    clock.fire('a');
    clock.fire('a');
    expect(fired).toEqual(['first', 'second']);
    expect(clock.nextDueMs('a')).toBe(200);
  });

  it('fire() calls nothing before its time, nothing that was cancelled, and nothing of a process that ended', () => {
    const { clock, fired, set } = bench();
    set('a', 100, 'early');
    clock.fire('a');
    set('a', 0, 'cancelled')();
    set('b', 0, 'forgotten');
    clock.forget('b');
    clock.fire('a');
    clock.fire('b');
    expect(fired).toEqual([]);
    expect([clock.nextDueMs('a'), clock.nextDueMs('b')]).toEqual([100, undefined]);
  });

  it('remainingMs() gives the time that each timer has to wait, soonest first; a negative delay counts as none', () => {
    const { clock, set } = bench();
    set('a', 300, 'x');
    set('a', -5, 'y');
    clock.advanceTo(100);
    expect(clock.remainingMs('a')).toEqual([-100, 200]);
  });
});
