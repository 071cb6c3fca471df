import { setImmediate } from 'node:timers/promises';
import { InvariantError } from '#lib/errors.ts';
import type { Timers } from '#lib/kube/interface/timers.ts';
import { VirtualClock } from '#lib/sim/world/step/clock.ts';

/** Waits until all work that needs no time is done: one turn of the event loop, after which no promise callback is left. */
export const settle = async (): Promise<void> => {
  await setImmediate();
};

/** Far more timers than any process of a test sets at one instant. A process that sets more never rests. */
const TIMERS_AT_ONCE = 2000;

/** The name of the process's own clock. */
const PROCESS = 'process';

/** Clock and timers of one process on virtual time, which advances on request only. */
export class ManualTimers implements Timers {
  readonly #clock: VirtualClock;
  readonly #timers: Timers;
  /** The number of timers that fired since the time last advanced. */
  #fired = 0;

  constructor(startMs = Date.parse('2026-11-21T09:30:00Z')) {
    this.#clock = new VirtualClock(startMs);
    this.#timers = this.#clock.timersOf(PROCESS);
  }

  now(): number {
    return this.#timers.now();
  }

  elapsed(): number {
    return this.#timers.elapsed();
  }

  setTimer(delayMs: number, callback: () => void): () => void {
    return this.#timers.setTimer(delayMs, callback);
  }

  /** The time on other machines, whose clocks stay correct, in epoch milliseconds. */
  get trueNow(): number {
    return this.#clock.nowMs;
  }

  /** Milliseconds from now until each pending timer, soonest first. */
  get pending(): number[] {
    return this.#clock.remainingMs(PROCESS);
  }

  /** Sets the wall clock, as an administrator or NTP does; timers are not affected. */
  stepWallClock(ms: number): void {
    this.#clock.jump(PROCESS, ms);
  }

  /** Advances the time and fires due timers, in order, without waiting for promises. */
  elapse(ms: number): void {
    const endMs = this.elapsed() + ms;
    while (this.#fireNext(endMs));
    this.#clock.advanceTo(endMs);
  }

  /** Advances the time, and runs between two timers everything that needs no time. */
  async advance(ms: number): Promise<void> {
    const endMs = this.elapsed() + ms;
    await settle();
    while (this.#fireNext(endMs)) await settle();
    this.#clock.advanceTo(endMs);
  }

  #fireNext(untilMs: number): boolean {
    const dueMs = this.#clock.nextDueMs(PROCESS);
    if (dueMs === undefined || dueMs > untilMs) return false;
    this.#fired = dueMs > this.elapsed() ? 0 : this.#fired + 1;
    if (this.#fired > TIMERS_AT_ONCE)
      throw new InvariantError('The process sets timers that are due at once, without end');
    this.#clock.advanceTo(Math.max(dueMs, this.elapsed()));
    this.#clock.fire(PROCESS);
    return true;
  }
}
