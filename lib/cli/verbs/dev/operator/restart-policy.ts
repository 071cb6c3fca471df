import { systemTimers, type Timers } from '#lib/kube/interface/timers.ts';

/** Delays before the restarts after consecutive failures, in milliseconds. */
const PAUSES_MS = [500, 1000, 2000, 5000, 10_000, 30_000];

/** If an operator ran longer than this, in milliseconds, its end counts as the first failure again. */
const LASTING_MS = 60_000;

/**
 * Decides when to restart an operator that ended by itself.
 *
 * Flow: `began` → the operator ends by itself: `ended` → after a delay `due` resolves → a new operator is loaded: `cancel` →
 * `began` → …
 */
export class RestartPolicy {
  readonly #timers: Timers;
  #failures = 0;
  #beganMs = 0;
  #due = Promise.withResolvers<void>();
  #cancelTimer: (() => void) | undefined;

  constructor(timers: Timers = systemTimers) {
    this.#timers = timers;
  }

  /** Resolves when a restart is due. `cancel` and `began` create a new promise. */
  get due(): Promise<void> {
    return this.#due.promise;
  }

  /** Records that an operator has started. No restart is due. */
  began(): void {
    this.cancel();
    this.#beganMs = this.#timers.elapsed();
  }

  /** Records that the operator has ended by itself. @returns milliseconds until the restart */
  ended(): number {
    const hasLasted = this.#timers.elapsed() - this.#beganMs > LASTING_MS;
    return this.#again(hasLasted ? 1 : this.#failures + 1);
  }

  /** Records that an operator could not be started. @returns milliseconds until the next try */
  unstarted(): number {
    return this.#again(this.#failures + 1);
  }

  /** Resets the count of failures, because the code has changed. */
  forget(): void {
    this.#failures = 0;
  }

  cancel(): void {
    this.#cancelTimer?.();
    this.#due = Promise.withResolvers();
  }

  #again(failures: number): number {
    this.#failures = failures;
    const pauseMs = PAUSES_MS[Math.min(failures, PAUSES_MS.length) - 1] ?? 0;
    this.#cancelTimer?.();
    // A caller may already wait for this promise, so the timer must resolve this promise and not a later one.
    const due = this.#due;
    this.#cancelTimer = this.#timers.setTimer(pauseMs, () => due.resolve());
    return pauseMs;
  }
}
