import type { Timers } from '#lib/kube/interface/timers.ts';
import type { LoopMetrics, RestoreEvidence } from '#lib/loop/context/metrics.ts';
import type { Logger } from '#lib/telemetry/log.ts';

/**
 * The proof that the storage of the API server was restored from a backup: an answer that cannot be from a replica that lags, and
 * shows an older state than one that was seen before.
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

/** The evidence of a cache, which does not know which resource it holds. */
export type CacheEvidence = Omit<Evidence, 'resource' | 'by'> & { readonly by: 'list' | 'answer' };

/** Options of {@link Restores}. */
export interface RestoresOptions {
  readonly timers: Timers;
  readonly log: Logger;
  readonly metrics: Pick<LoopMetrics, 'restored'>;
  /** Reads everything again, and forgets what was concluded from what is known. */
  readonly startAnew: () => void;
}

/** A server that contradicts itself for ever does not make us list more often than that, in milliseconds. */
const SPACING_MS = 30_000;

/**
 * Notices that the storage of the API server was restored from a backup. Its watches bring nothing then up to the versions that were
 * seen before, and what is known is of a future that never came.
 *
 * Flow: evidence → a line in the log, a count → everything is read again, at once or 30 s after the last time.
 *
 * Guarantees: one restore is reported once, whatever proves it. At rest no request is made.
 *
 * Assumptions: evidence from what is just being read again is not handed in.
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
   * @param evidence - what proves it
   * @param seenAtMs - until when the newer state is known to have been there, by `Timers.elapsed`: what has been read again since then
   *   does not need to be. @default unknown
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
