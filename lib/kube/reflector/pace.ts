import { ApiError } from '#lib/errors.ts';
import { Backoff } from '#lib/kube/reflector/backoff.ts';

/** The back-off after failures, as in client-go's tools/cache/reflector.go. */
const BACKOFF = { baseMs: 800, maxMs: 30_000 };

/** The shortest delay after a failure. Without a minimum, a delay with full jitter could be near 0. */
const MIN_DELAY_MS = 200;

/**
 * The duration after which a watch counts as successful. Load balancers cut idle connections after a minute or less. If such
 * watches counted as failures, their delays would grow, and changes would arrive late. client-go uses 2 minutes.
 */
const HEALTHY_MS = 30_000;

/**
 * The shortest time between the starts of two watches, if the first one ends regularly, and no call of `catchUp` or `relist`
 * waits. The spacing limits the requests to a server that ends every watch at once.
 */
const MIN_WATCH_SPACING_MS = 1000;

/**
 * The limits of the random timeout of a watch, as in client-go. The timeout is random, so that not all watches reconnect at the
 * same time.
 */
const WATCH_SECONDS = { min: 300, max: 600 };

/** @returns the delay that the server requested, in milliseconds */
export const askedMsOf = (error: unknown): number => (error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0);

/** The delays of a reflector, in milliseconds. */
export class Pace {
  readonly #backoff: Backoff;
  readonly #random: () => number;

  /** @param random - uniform in [0, 1) */
  constructor(random: () => number) {
    this.#random = random;
    this.#backoff = new Backoff({ ...BACKOFF, random });
  }

  /** Upper bound of the delay after the next failure, without a delay that the server requests. */
  get boundMs(): number {
    return this.#backoff.boundMs;
  }

  /** @returns the delay after a failure, which is at least the delay that the server requested */
  failed(error: unknown): number {
    return askedMsOf(error) + Math.max(MIN_DELAY_MS, this.#backoff.next());
  }

  /**
   * Called at the end of every watch. Resets the back-off if the watch lasted 30 s or more.
   *
   * @param lastedMs - the duration of the watch
   */
  watched(lastedMs: number): void {
    if (lastedMs >= HEALTHY_MS) this.#backoff.reset();
  }

  /** @returns the timeout of the next watch, in seconds */
  watchSeconds(): number {
    const { min, max } = WATCH_SECONDS;
    return min + Math.floor(this.#random() * (max - min + 1));
  }

  /** @returns the delay after a watch that ended regularly */
  ended(lastedMs: number): number {
    return Math.min(MIN_WATCH_SPACING_MS, Math.max(0, MIN_WATCH_SPACING_MS - lastedMs));
  }
}
