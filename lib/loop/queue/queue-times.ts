import type { Key } from '#lib/loop/key.ts';
import type { ControllerMetrics } from '#lib/loop/metrics.ts';

/**
 * Measures how long keys wait and are worked on.
 *
 * @param elapsed - milliseconds that only grow
 */
export class QueueTimes {
  readonly #elapsed: () => number;
  readonly #metrics: ControllerMetrics;
  readonly #readySince = new Map<Key, number>();
  readonly #takenSince = new Map<Key, number>();

  constructor(elapsed: () => number, metrics: ControllerMetrics) {
    this.#elapsed = elapsed;
    this.#metrics = metrics;
  }

  /** A key became ready to be taken. */
  ready(key: Key): void {
    this.#readySince.set(key, this.#elapsed());
    this.#metrics.added();
  }

  retried(): void {
    this.#metrics.retried();
  }

  taken(key: Key): void {
    const now = this.#elapsed();
    this.#metrics.taken(now - (this.#readySince.get(key) ?? now));
    this.#readySince.delete(key);
    this.#takenSince.set(key, now);
  }

  done(key: Key): void {
    const now = this.#elapsed();
    this.#metrics.done(now - (this.#takenSince.get(key) ?? now));
    this.#takenSince.delete(key);
  }

  /** How long each key that is handed out has been so, in milliseconds. */
  unfinishedMs(): readonly number[] {
    const now = this.#elapsed();
    return [...this.#takenSince.values()].map((since) => now - since);
  }
}
