import { setImmediate } from 'node:timers/promises';
import type { Timers } from '#lib/kube/timers.ts';

interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** Lets everything happen that needs no time: one turn of the event loop, after which no promise callback is left. */
export const settle = async (): Promise<void> => {
  await setImmediate();
};

/** Virtual time, which passes only when it is told to. */
export class ManualTimers implements Timers {
  #elapsedMs = 0;
  #wallMs: number;
  readonly #timers = new Set<Timer>();

  constructor(startMs = Date.parse('2026-11-21T09:30:00Z')) {
    this.#wallMs = startMs;
  }

  now(): number {
    return this.#wallMs + this.#elapsedMs;
  }

  elapsed(): number {
    return this.#elapsedMs;
  }

  setTimer(delayMs: number, callback: () => void): () => void {
    const timer = { dueMs: this.#elapsedMs + Math.max(0, delayMs), callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Milliseconds from now until each timer that is set, soonest first. */
  get pending(): number[] {
    return [...this.#timers].map(({ dueMs }) => dueMs - this.#elapsedMs).toSorted((a, b) => a - b);
  }

  /** Sets the wall clock, as an administrator or NTP does; timers run on. */
  stepWallClock(ms: number): void {
    this.#wallMs += ms;
  }

  /** Lets time pass and fires what is due, in order, without waiting for promises. */
  elapse(ms: number): void {
    const endMs = this.#elapsedMs + ms;
    for (let timer = this.#next(endMs); timer; timer = this.#next(endMs)) this.#fire(timer);
    this.#elapsedMs = endMs;
  }

  /** Lets time pass, and between two timers everything that needs no time. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#elapsedMs + ms;
    await settle();
    for (let timer = this.#next(endMs); timer; timer = this.#next(endMs)) {
      this.#fire(timer);
      await settle();
    }
    this.#elapsedMs = endMs;
  }

  #next(untilMs: number): Timer | undefined {
    return [...this.#timers].toSorted((a, b) => a.dueMs - b.dueMs).find(({ dueMs }) => dueMs <= untilMs);
  }

  #fire(timer: Timer): void {
    this.#elapsedMs = Math.max(this.#elapsedMs, timer.dueMs);
    this.#timers.delete(timer);
    timer.callback();
  }
}
