import { ApiError } from '#lib/errors.ts';
import { Backoff } from '#lib/kube/reflector/backoff.ts';

/** Back-off as in client-go's tools/cache/reflector.go. */
const BACKOFF = { baseMs: 800, maxMs: 30_000 };

/** Full jitter may be near 0; a server that has just refused a request does not get it again at once. */
const MIN_DELAY_MS = 200;

/**
 * The duration after which a watch counts as successful: load balancers cut idle connections after a minute or less, and longer
 * delays after each cut would leave gaps. client-go uses 2 minutes.
 */
const HEALTHY_MS = 30_000;

/** A server that ends watches at once, regularly, must not make us spin. */
const MIN_WATCH_SPACING_MS = 1000;

/** A watch requests a timeout of 5 to 10 minutes, at random, as in client-go, to spread reconnections. */
const WATCH_SECONDS = { min: 300, max: 600 };

/** @returns the delay that the server requested, in milliseconds */
export const askedMsOf = (error: unknown): number => (error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0);

/** The delays of a reflector. All times in milliseconds. */
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

  /** @returns the delay after a failure: no less than the server asks for */
  failed(error: unknown): number {
    return askedMsOf(error) + Math.max(MIN_DELAY_MS, this.#backoff.next());
  }

  /** A watch is over, however it ended. */
  watched(lastedMs: number): void {
    if (lastedMs >= HEALTHY_MS) this.#backoff.reset();
  }

  /** @returns how long the next watch is to last */
  watchSeconds(): number {
    const { min, max } = WATCH_SECONDS;
    return min + Math.floor(this.#random() * (max - min + 1));
  }

  /** @returns the delay after a watch that ended regularly */
  ended(lastedMs: number): number {
    return Math.min(MIN_WATCH_SPACING_MS, Math.max(0, MIN_WATCH_SPACING_MS - lastedMs));
  }
}
