import type { LoopMetrics, WatchMetrics } from '#lib/loop/context/metrics.ts';

/** Options of {@link WatchMeter}. */
export interface WatchMeterOptions {
  readonly resource: string;
  readonly metrics: LoopMetrics;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number;
  /** The number of objects in the cache. */
  readonly objects: () => number;
  /** The number of required watches that the API server refuses. */
  readonly refused: () => number;
}

/**
 * Counts the lists, failures and repairs of one resource, and measures the time since the last message of the server. Among
 * several watches, the longest time counts.
 */
export class WatchMeter {
  readonly #elapsed: () => number;
  readonly #metrics: WatchMetrics;
  /** The time of the last message, by namespace; the key is undefined for a watch of all namespaces. */
  readonly #heardAt = new Map<string | undefined, number>();

  constructor({ resource, metrics, elapsed, objects, refused }: WatchMeterOptions) {
    this.#elapsed = elapsed;
    this.#metrics = metrics.watch(resource, { silenceMs: () => this.#silenceMs(), objects, refused });
  }

  /** Called when the watch of a namespace begins, and for each message of the server on this watch. */
  heard(namespace: string | undefined): void {
    this.#heardAt.set(namespace, this.#elapsed());
  }

  /** Called when the server has sent a complete list. */
  listed(namespace: string | undefined): void {
    this.heard(namespace);
    this.#metrics.listed();
  }

  /** Called when an audit has repaired `count` objects in the cache. */
  repaired(count: number): void {
    this.#metrics.repaired(count);
  }

  failed(): void {
    this.#metrics.failed();
  }

  #silenceMs(): number {
    const now = this.#elapsed();
    return Math.max(0, ...[...this.#heardAt.values()].map((at) => now - at));
  }
}
