/** Options of {@link Backoff}. */
export interface BackoffOptions {
  /** The upper bound of the first delay, in milliseconds; > 0. */
  readonly baseMs: number;
  /** The upper bound of every delay, in milliseconds; >= `baseMs`. */
  readonly maxMs: number;
  /** Returns a random number, uniform in [0, 1). */
  readonly random: () => number;
}

/**
 * Exponential back-off with full jitter: delay number n, from 0 on, is uniform between 0 and `min(maxMs, baseMs * 2^n)`.
 *
 * After an outage, full jitter spreads the requests of the clients better than a fixed delay with a small random part.
 *
 * @example
 * const backoff = new Backoff({ baseMs: 800, maxMs: 30_000, random: Math.random });
 * backoff.next(); // 0-800
 * backoff.next(); // 0-1600
 * backoff.reset();
 */
export class Backoff {
  readonly #options: BackoffOptions;
  #boundMs: number;

  constructor(options: BackoffOptions) {
    this.#options = options;
    this.#boundMs = options.baseMs;
  }

  /** Upper bound of the next delay, in milliseconds. */
  get boundMs(): number {
    return this.#boundMs;
  }

  /** @returns the next delay in milliseconds */
  next(): number {
    const delayMs = this.#options.random() * this.#boundMs;
    this.#boundMs = Math.min(this.#options.maxMs, this.#boundMs * 2);
    return delayMs;
  }

  reset(): void {
    this.#boundMs = this.#options.baseMs;
  }
}
