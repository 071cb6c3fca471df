import type { Timers } from '#lib/kube/interface/timers.ts';

/** When a {@link Deadline} fires. */
export interface DeadlineOptions {
  /** Milliseconds from now. */
  readonly timeoutMs: number;
  /** Aborts the deadline's own signal, too. */
  readonly signal: AbortSignal | undefined;
  readonly timers: Timers;
}

/**
 * One signal for two reasons to abort: the time is over, or the caller no longer needs the response.
 *
 * Unlike `AbortSignal.any`, it leaves no listener on a signal that outlives thousands of requests.
 *
 * @example
 * const deadline = new Deadline({ timeoutMs: 30_000, signal, timers });
 * try { await fetchWith(deadline.signal); } finally { deadline.release(); }
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #timers: Timers;
  #cancelTimer: () => void = () => {};
  #expired = false;

  constructor(options: DeadlineOptions) {
    this.#caller = options.signal;
    if (this.#caller?.aborted) this.#abort();
    this.#caller?.addEventListener('abort', this.#abort);
    this.#timers = options.timers;
    this.restart(options.timeoutMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the time was over before the caller gave up. */
  get expired(): boolean {
    return this.#expired;
  }

  /** Sets a new time limit, in milliseconds from now, or none; the caller's signal counts as before. Without effect once the time is over. */
  restart(timeoutMs: number | undefined): void {
    this.#cancelTimer();
    if (timeoutMs === undefined || this.#expired) return;
    this.#cancelTimer = this.#timers.setTimer(timeoutMs, () => {
      this.#expired = true;
      this.#controller.abort();
    });
  }

  /** Waits for something that cannot be aborted. @throws Error when this is over before it */
  async within<T>(work: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    const giveUp = (): void => reject(new Error('not waited for'));
    if (this.signal.aborted) giveUp();
    this.signal.addEventListener('abort', giveUp);
    try {
      return await Promise.race([work, promise]);
    } finally {
      this.signal.removeEventListener('abort', giveUp);
    }
  }

  /** Ends it: nothing aborts the signal any more. */
  release(): void {
    this.#cancelTimer();
    this.#caller?.removeEventListener('abort', this.#abort);
  }

  readonly #abort = (): void => this.#controller.abort();
}
