import type { Timers } from '#lib/kube/interface/timers.ts';
import type { LoopMetrics, RestoreEvidence } from '#lib/loop/context/metrics.ts';
import type { Logger } from '#lib/telemetry/log.ts';

/**
 * The proof that the storage of the API server was restored from a backup: a response shows an older state than an earlier
 * response. Responses of outdated replicas of the API server are not a proof.
 */
export interface Evidence {
  /** The source of the proof: a list, the response to a read or a write, or the lease. */
  readonly by: RestoreEvidence;
  /** The resource, such as `podsets.app.example.com`. */
  readonly resource: string;
  /** The object that the response shows in the version `shown`; absent when `shown` is the version of a whole list. */
  readonly object?: string;
  /** The resource version that was seen earlier. */
  readonly seen: string;
  /** The resource version that the response shows, which is older than `seen`. */
  readonly shown: string;
}

/** The evidence from a cache, which does not know the name of its resource. */
export type CacheEvidence = Omit<Evidence, 'resource' | 'by'> & { readonly by: 'list' | 'answer' };

/** Options of {@link Restores}. */
export interface RestoresOptions {
  readonly timers: Timers;
  readonly log: Logger;
  readonly metrics: Pick<LoopMetrics, 'restored'>;
  /** Reads all lists again, and forgets what the loop concluded from the cached state. */
  readonly startAnew: () => void;
}

/**
 * The minimum time between two reads of all lists, in milliseconds. The limit matters when the responses of a server contradict
 * each other again and again.
 */
const SPACING_MS = 30_000;

/**
 * Handles proofs that the storage of the API server was restored from a backup. After a restore, the cache has objects of a state
 * that no longer exists. Watches deliver nothing until the storage passes the last known version.
 *
 * Flow: `proven` logs and counts the restore, and calls `startAnew`: at once, or 30 s after the previous call of `startAnew`.
 *
 * Guarantees: one restore is reported once, even if there are many proofs. Without a proof, no request is sent.
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
   * @param seenAtMs - the last time at which the newer state existed, by `Timers.elapsed`. The proof is ignored if all lists were
   * read again after this time. @default unknown
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
