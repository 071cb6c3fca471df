import type { Timers } from '#lib/kube/interface/timers.ts';

/** Options of {@link Deadline}. */
export interface DeadlineOptions {
  /** The time limit in milliseconds from now. */
  readonly timeoutMs: number;
  /** A signal of the caller. When it aborts, the signal of the deadline aborts, too. */
  readonly signal: AbortSignal | undefined;
  readonly timers: Timers;
}

/**
 * One signal for two reasons to abort: the time is over, or the caller no longer needs the response.
 *
 * `AbortSignal.any` is not used, because it would leave a listener per request on a signal that lives longer than the requests.
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

  get expired(): boolean {
    return this.#expired;
  }

  /**
   * Sets a new time limit in milliseconds from now, or removes the time limit. The signal of the caller still applies. No effect
   * once the time is over.
   */
  restart(timeoutMs: number | undefined): void {
    this.#cancelTimer();
    if (timeoutMs === undefined || this.#expired) return;
    this.#cancelTimer = this.#timers.setTimer(timeoutMs, () => {
      this.#expired = true;
      this.#controller.abort();
    });
  }

  /** Waits for work that cannot be aborted. @throws Error when the deadline aborts before the work ends */
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

  /** Ends the deadline: its signal is not aborted any more. */
  release(): void {
    this.#cancelTimer();
    this.#caller?.removeEventListener('abort', this.#abort);
  }

  readonly #abort = (): void => this.#controller.abort();
}
