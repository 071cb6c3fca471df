import { ApiError } from '#lib/errors.ts';
import { Backoff } from '#lib/kube/backoff.ts';

/** Back-off as in client-go's tools/cache/reflector.go. */
const BACKOFF = { baseMs: 800, maxMs: 30_000 };

/** Full jitter may come near 0; a server that has just refused something is not asked again at once. */
const MIN_DELAY_MS = 200;

/** A watch that lasted so long was healthy, whatever ended it; as client-go. */
const HEALTHY_MS = 120_000;

/** A server that ends watches at once, regularly, must not make us spin. */
const MIN_WATCH_SPACING_MS = 1000;

/** When a reflector asks again. All times in milliseconds. */
export class Pace {
  readonly #backoff: Backoff;

  /** @param random - uniform in [0, 1) */
  constructor(random: () => number) {
    this.#backoff = new Backoff({ ...BACKOFF, random });
  }

  /** Upper bound of the delay after the next failure, without what the server asks for. */
  get boundMs(): number {
    return this.#backoff.boundMs;
  }

  /** @returns the delay after a failure: no less than the server asks for */
  failed(error: unknown): number {
    const askedMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
    return askedMs + Math.max(MIN_DELAY_MS, this.#backoff.next());
  }

  /** A watch is over, however it ended. */
  watched(lastedMs: number): void {
    if (lastedMs >= HEALTHY_MS) this.#backoff.reset();
  }

  /** @returns the delay after a watch that ended regularly */
  ended(lastedMs: number): number {
    return Math.min(MIN_WATCH_SPACING_MS, Math.max(0, MIN_WATCH_SPACING_MS - lastedMs));
  }
}
