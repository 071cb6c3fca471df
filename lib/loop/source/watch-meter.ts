import type { LoopMetrics, WatchMetrics } from '#lib/loop/metrics.ts';

/** What is measured, on which clock, and who takes the numbers. */
export interface WatchMeterOptions {
  readonly resource: string;
  readonly metrics: LoopMetrics;
  /** Milliseconds; only ever grows. */
  readonly elapsed: () => number;
  /** Objects in the cache. */
  readonly objects: () => number;
}

/** Notes when the server was last heard on the watches of one resource; of several, the most silent one counts. */
export class WatchMeter {
  readonly #elapsed: () => number;
  readonly #metrics: WatchMetrics;
  /** By namespace; undefined for the watch of all. */
  readonly #heardAt = new Map<string | undefined, number>();

  constructor({ resource, metrics, elapsed, objects }: WatchMeterOptions) {
    this.#elapsed = elapsed;
    this.#metrics = metrics.watch(resource, { silenceMs: () => this.#silenceMs(), objects });
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

  failed(): void {
    this.#metrics.failed();
  }

  #silenceMs(): number {
    const now = this.#elapsed();
    return Math.max(0, ...[...this.#heardAt.values()].map((at) => now - at));
  }
}
