import { systemTimers, type Timers } from '#lib/kube/interface/timers.ts';

/** Delays before the restarts after consecutive failures, in milliseconds. */
const PAUSES_MS = [500, 1000, 2000, 5000, 10_000, 30_000];

/** An operator that ran for this long resets the count of failures, in milliseconds. */
const LASTING_MS = 60_000;

/**
 * Decides when to restart an operator that ended by itself.
 *
 * Flow: `began` → it ends by itself: `ended` → after a delay `due` resolves → a new one is loaded: `cancel` → `began` → …
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

  /** Resolves when a restart is due. A new promise after `cancel` and `began`. */
  get due(): Promise<void> {
    return this.#due.promise;
  }

  /** An operator started; no restart is due. */
  began(): void {
    this.cancel();
    this.#beganMs = this.#timers.elapsed();
  }

  /** The operator ended by itself. @returns milliseconds until the restart */
  ended(): number {
    const hasLasted = this.#timers.elapsed() - this.#beganMs > LASTING_MS;
    return this.#again(hasLasted ? 1 : this.#failures + 1);
  }

  /** An operator could not be started. @returns milliseconds until the next try */
  unstarted(): number {
    return this.#again(this.#failures + 1);
  }

  /** Resets the count of failures, because the code has changed. */
  forget(): void {
    this.#failures = 0;
  }

  /** Cancels the restart. */
  cancel(): void {
    this.#cancelTimer?.();
    this.#due = Promise.withResolvers();
  }

  #again(failures: number): number {
    this.#failures = failures;
    const pauseMs = PAUSES_MS[Math.min(failures, PAUSES_MS.length) - 1] ?? 0;
    this.#cancelTimer?.();
    // A caller may already wait for this promise.
    const due = this.#due;
    this.#cancelTimer = this.#timers.setTimer(pauseMs, () => due.resolve());
    return pauseMs;
  }
}
