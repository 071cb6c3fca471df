import { SimulationError } from '#lib/errors.ts';
import type { Timers } from '#lib/kube/interface/timers.ts';

interface Timer {
  readonly owner: string;
  readonly dueMs: number;
  readonly callback: () => void;
}

/** The wall-clock time at the start of every run, in epoch milliseconds. */
export const START_MS = Date.UTC(2026, 0, 1);

/**
 * Virtual time. The time advances only on request, and the clock does not run timers itself.
 *
 * As on real machines, the time has two forms. The elapsed time only grows, and the wall clock of each host can be set.
 */
export class VirtualClock {
  /** The wall-clock time at the start, in epoch milliseconds. */
  readonly startMs: number;
  readonly #timers = new Set<Timer>();
  /** The sum of all jumps of the wall clock of each host, in milliseconds. */
  readonly #jumpsMs = new Map<string, number>();
  #elapsedMs = 0;

  constructor(startMs: number) {
    this.startMs = startMs;
  }

  /** Milliseconds since the start. */
  get elapsedMs(): number {
    return this.#elapsedMs;
  }

  /** The true time in epoch milliseconds: the wall clock of a host without clock jumps. */
  get nowMs(): number {
    return this.startMs + this.#elapsedMs;
  }

  /** Sets the wall clock of one host forward or, with a negative number, back. The timers of the host do not change. */
  jump(owner: string, ms: number): void {
    this.#jumpsMs.set(owner, this.jumpMs(owner) + ms);
  }

  /** The difference between the wall clock of a host and the true time, in milliseconds. */
  jumpMs(owner: string): number {
    return this.#jumpsMs.get(owner) ?? 0;
  }

  /**
   * Advances the time.
   *
   * @param elapsedMs - the new time, in milliseconds since the start
   * @throws {SimulationError} for a time in the past
   */
  advanceTo(elapsedMs: number): void {
    if (!(elapsedMs >= this.#elapsedMs)) {
      throw new SimulationError(
        `Time cannot go back: it is +${this.#elapsedMs} ms, and +${elapsedMs} ms was requested; to set a clock back, let it jump`,
      );
    }
    this.#elapsedMs = elapsedMs;
  }

  /** The clock and the timers of one process. A timer stays set until it fires or is canceled, or until a call of `forget`. */
  timersOf(owner: string): Timers {
    return {
      now: () => this.nowMs + this.jumpMs(owner),
      elapsed: () => this.#elapsedMs,
      setTimer: (delayMs, callback) => {
        const timer = { owner, dueMs: this.#elapsedMs + Math.max(0, delayMs), callback };
        this.#timers.add(timer);
        return () => void this.#timers.delete(timer);
      },
    };
  }

  forget(owner: string): void {
    for (const timer of this.#timers) if (timer.owner === owner) this.#timers.delete(timer);
  }

  /** The time of the next timer of a process, in milliseconds since the start; `undefined` if no timer is set. */
  nextDueMs(owner: string): number | undefined {
    return this.#next(owner)?.dueMs;
  }

  /** Milliseconds from now until each timer of a process is due, soonest first. */
  remainingMs(owner: string): number[] {
    const own = [...this.#timers].filter((timer) => timer.owner === owner);
    return own.map(({ dueMs }) => dueMs - this.#elapsedMs).toSorted((a, b) => a - b);
  }

  /** Fires the earliest timer of a process, if it is due. */
  fire(owner: string): void {
    const timer = this.#next(owner);
    if (timer === undefined || timer.dueMs > this.#elapsedMs) return;
    this.#timers.delete(timer);
    timer.callback();
  }

  /** The earliest timer of a process. If several timers have the same time, the one that was set first is returned. */
  #next(owner: string): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.owner === owner && (first === undefined || timer.dueMs < first.dueMs)) first = timer;
    }
    return first;
  }
}
