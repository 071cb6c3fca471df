import type { LoopMetrics, WatchMetrics } from '#lib/loop/context/metrics.ts';

/** Options of {@link WatchMeter}. */
export interface WatchMeterOptions {
  readonly resource: string;
  readonly metrics: LoopMetrics;
  /** Milliseconds; only ever grows. */
  readonly elapsed: () => number;
  /** Objects in the cache. */
  readonly objects: () => number;
  /** Watches that the API server refuses. */
  readonly refused: () => number;
}

/** Notes when the server last sent something on the watches of one resource; the most silent watch counts. */
export class WatchMeter {
  readonly #elapsed: () => number;
  readonly #metrics: WatchMetrics;
  /** By namespace; undefined for the watch of all. */
  readonly #heardAt = new Map<string | undefined, number>();

  constructor({ resource, metrics, elapsed, objects, refused }: WatchMeterOptions) {
    this.#elapsed = elapsed;
    this.#metrics = metrics.watch(resource, { silenceMs: () => this.#silenceMs(), objects, refused });
  }

  /** The watches of a namespace begin, or the server sent something on them. */
  heard(namespace: string | undefined): void {
    this.#heardAt.set(namespace, this.#elapsed());
  }

  /** The server sent a whole list. */
  listed(namespace: string | undefined): void {
    this.heard(namespace);
    this.#metrics.listed();
  }

  /** Objects in the cache were wrong and have been repaired. */
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
