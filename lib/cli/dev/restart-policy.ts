import { systemTimers, type Timers } from '#lib/kube/timers.ts';

/** After an operator that ended by itself another one is started; each in a row later, in milliseconds. */
const PAUSES_MS = [500, 1000, 2000, 5000, 10_000, 30_000];

/** One that has worked for so long begins a new row, in milliseconds. */
const LASTING_MS = 60_000;

/**
 * When an operator is started again that nobody had told to end.
 *
 * Flow: `began` → it ends by itself: `ended` → after a pause `due` resolves → another one is made: `cancel` → `began` → …
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

  /** Resolves when another one is to be started. It is another promise after `cancel` and `began`. */
  get due(): Promise<void> {
    return this.#due.promise;
  }

  /** One begins to work: whoever ended meanwhile has its successor. */
  began(): void {
    this.cancel();
    this.#beganMs = this.#timers.elapsed();
  }

  /** The one that worked ended by itself. @returns milliseconds until another one is due */
  ended(): number {
    const hasLasted = this.#timers.elapsed() - this.#beganMs > LASTING_MS;
    return this.#again(hasLasted ? 1 : this.#failures + 1);
  }

  /** One could not even be started. @returns milliseconds until another one is due */
  unstarted(): number {
    return this.#again(this.#failures + 1);
  }

  /** What follows is something else: failures so far say nothing of it. */
  forget(): void {
    this.#failures = 0;
  }

  /** None is due any more. */
  cancel(): void {
    this.#cancelTimer?.();
    this.#due = Promise.withResolvers();
  }

  #again(failures: number): number {
    this.#failures = failures;
    const pauseMs = PAUSES_MS[Math.min(failures, PAUSES_MS.length) - 1] ?? 0;
    this.#cancelTimer?.();
    // Somebody may wait already.
    const due = this.#due;
    this.#cancelTimer = this.#timers.setTimer(pauseMs, () => due.resolve());
    return pauseMs;
  }
}
