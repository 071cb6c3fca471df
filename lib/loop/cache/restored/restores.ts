import type { Timers } from '#lib/kube/interface/timers.ts';
import type { LoopMetrics, RestoreEvidence } from '#lib/loop/context/metrics.ts';
import type { Logger } from '#lib/telemetry/log.ts';

/**
 * The proof that the storage of the API server was restored from a backup: a response that cannot come from a replica that lags
 * behind, and that shows an older state than an earlier response.
 */
export interface Evidence {
  /** Where the proof comes from. */
  readonly by: RestoreEvidence;
  /** Such as `podsets.app.example.com`. */
  readonly resource: string;
  /** The object that was shown older; absent when the list itself is. */
  readonly object?: string;
  /** The resource version that was seen before. */
  readonly seen: string;
  /** The one that is shown now. */
  readonly shown: string;
}

/** The proof of a cache, which does not know its resource. */
export type CacheEvidence = Omit<Evidence, 'resource' | 'by'> & { readonly by: 'list' | 'answer' };

/** Options of {@link Restores}. */
export interface RestoresOptions {
  readonly timers: Timers;
  readonly log: Logger;
  readonly metrics: Pick<LoopMetrics, 'restored'>;
  /** Reads everything again, and drops conclusions from the known state. */
  readonly startAnew: () => void;
}

/** A server that contradicts itself for ever does not make us list more often than that, in milliseconds. */
const SPACING_MS = 30_000;

/**
 * Detects that the storage of the API server was restored from a backup. Watches are then silent until the storage passes the
 * last known version, and the cache has objects of a state that no longer exists.
 *
 * Flow: proof → a line in the log, a count → all lists are read again, at once or 30 s after the last time.
 *
 * Guarantees: one restore is reported once, however many proofs there are. No change costs no request.
 *
 * Assumptions: the caller reports no proof from a list that is being read again.
 */
export class Restores {
  readonly #options: RestoresOptions;
  #beganAtMs = -Infinity;
  #isDue = false;
  #cancel: () => void = () => undefined;

  constructor(options: RestoresOptions) {
    this.#options = options;
  }

  /**
   * @param evidence - the proof
   * @param seenAtMs - the last time at which the newer state existed, by `Timers.elapsed`: lists that were read after it
   *   are not read again. @default unknown
   */
  proven(evidence: Evidence, seenAtMs = Infinity): void {
    if (this.#isDue || seenAtMs < this.#beganAtMs) return;
    const { log, metrics, timers } = this.#options;
    log.warn(evidence, 'the storage of the API server was restored from a backup, reading everything again');
    metrics.restored(evidence.by);
    const waitMs = this.#beganAtMs + SPACING_MS - timers.elapsed();
    if (waitMs <= 0) return this.#begin();
    this.#isDue = true;
    this.#cancel = timers.setTimer(waitMs, () => this.#begin());
  }

  stop(): void {
    this.#cancel();
  }

  #begin(): void {
    this.#isDue = false;
    this.#beganAtMs = this.#options.timers.elapsed();
    this.#options.startAnew();
  }
}
