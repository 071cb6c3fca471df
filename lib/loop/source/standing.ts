import { ApiError, type ReconcileError } from '#lib/errors.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import type { Reflector, ReflectorState } from '#lib/kube/reflector/types.ts';
import type { CacheState } from '#lib/loop/cache/cache-options.ts';

/**
 * The cause of a failing watch. `refused`: the API server responds with 403 or 404. `answered`: the API server responds with
 * another error, except 401. Both causes count as the same for every replica. `local`: any other failure; for example, this
 * process cannot reach the API server, has invalid credentials (401), or cannot parse the response.
 */
export type TroubleCause = 'refused' | 'answered' | 'local';

/** Consecutive failures of a watch with the same cause. */
export interface Trouble {
  readonly cause: TroubleCause;
  /** The code of the last error, such as `NotFound`. */
  readonly reason: string;
  /** The time of the first of these failures, by `Timers.elapsed`. */
  readonly sinceMs: number;
}

/**
 * After failures of this duration, in milliseconds, a cause `answered` counts as permanent for every replica, and a cause `local`
 * as permanent for this replica. Without a `Retry-After`, watches are retried at least every 30 s, so several attempts have
 * failed in this time.
 */
const PATIENCE_MS = 120_000;

/**
 * The time without a failure, in milliseconds, after which the next failure is not counted together with earlier failures. The
 * time is longer than the detection of a dead watch plus the longest delay of an attempt. A `Retry-After` of the server is added.
 */
const GAP_MS = 240_000;

const askedMsOf = (error: ReconcileError): number => (error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0);

const causeOf = (error: ReconcileError): TroubleCause => {
  if (!(error instanceof ApiError) || error.httpStatus === 401) return 'local';
  return error.httpStatus === 403 || error.httpStatus === 404 ? 'refused' : 'answered';
};

/**
 * The state of one watch: whether its objects are in the cache, or why not.
 *
 * Flow: `filled` is called when the list is in the cache, `failed` for each failure, and `heard` for an event or bookmark after
 * failures. A watch that breaks off counts as heard, because the API server accepted the watch before.
 *
 * Guarantees: a watch becomes settled when it is filled or refused, or when the server has responded with errors for two minutes.
 * In these cases, another replica would have the same result. The watch then stays settled. A watch becomes unfit when a local
 * cause has lasted for two minutes, because another replica may succeed. The watch stays unfit until it works again, or until
 * a failure starts a new count: a failure with another cause, or one after a long time without failures (`GAP_MS`).
 *
 * Caveats: the state changes only when one of these methods is called. A silent watch fails when the reflector ends the watch.
 */
export class WatchStanding {
  readonly #settled = Promise.withResolvers<void>();
  #lost = Promise.withResolvers<true>();
  #isLost = false;
  #isFilled = false;
  #isSettled = false;
  #isUnfit = false;
  /** A failure with the same cause before this time, by `Timers.elapsed`, is counted together with earlier failures. */
  #goesOnUntilMs = -Infinity;
  #trouble: Trouble | undefined;

  get isFilled(): boolean {
    return this.#isFilled;
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Resolves when the watch is settled. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  /** Resolves when the watch fails for a cause that every replica shares; at once while the watch fails for such a cause. */
  get lost(): Promise<true> {
    return this.#lost.promise;
  }

  get isUnfit(): boolean {
    return this.#isUnfit;
  }

  /** The failures since the watch last worked; undefined without such failures. */
  get trouble(): Trouble | undefined {
    return this.#trouble;
  }

  filled(): void {
    this.#isFilled = true;
    this.#settle();
    this.heard();
  }

  heard(): void {
    this.#trouble = undefined;
    this.#isUnfit = false;
    if (this.#isLost) this.#lost = Promise.withResolvers<true>();
    this.#isLost = false;
  }

  /** @param nowMs - the current time by `Timers.elapsed` */
  failed(error: ReconcileError, nowMs: number): void {
    const cause = causeOf(error);
    const goesOn = this.#trouble?.cause === cause && nowMs < this.#goesOnUntilMs;
    const sinceMs = goesOn && this.#trouble ? this.#trouble.sinceMs : nowMs;
    this.#goesOnUntilMs = nowMs + GAP_MS + askedMsOf(error);
    this.#trouble = { cause, reason: error.code, sinceMs };
    const lasts = nowMs - sinceMs >= PATIENCE_MS;
    this.#isUnfit = cause === 'local' && lasts;
    if (cause !== 'refused' && !(cause === 'answered' && lasts)) return;
    this.#settle();
    this.#isLost = true;
    this.#lost.resolve(true);
  }

  #settle(): void {
    this.#isSettled = true;
    this.#settled.resolve();
  }
}

/** The state of one watch as JSON, with the contents of its cache. */
export type WatchState = ReflectorState & { readonly cache: CacheState };

/** A watch that fails, or has not filled the cache yet. */
export interface WatchProblem {
  /** The name of the resource, such as `podsets.app.example.com`. */
  readonly resource: string;
  /** Absent when the watch is for all namespaces. */
  readonly namespace?: string;
  /** The failures of the watch. Absent while the first list has neither failed nor ended. */
  readonly trouble?: Trouble;
}

/** Formats a problem of a watch as one line, such as `racks.demo.example.com in blue: NotFound`. */
export const problemText = ({ resource, namespace, trouble }: WatchProblem): string =>
  `${resource}${namespace === undefined ? '' : ` in ${namespace}`}: ${trouble?.reason ?? 'not filled yet'}`;

/** One of the watches of a source. */
export interface FollowedWatch {
  readonly namespace: string | undefined;
  readonly standing: WatchStanding;
  readonly reflector: Reflector;
}

/**
 * Waits until the cache of a watch includes all changes up to a moment; see `Reflector.catchUp`.
 *
 * @param options - `sinceMs`: the moment, by `Timers.elapsed`; `skipsLost`: whether a watch that is refused, or fails in every
 *   replica, counts as caught up, because one namespace must not stop the others; see `Gate`
 * @returns false when the watch was stopped before. Never rejects.
 */
export const caughtUp = async (
  { reflector, standing }: FollowedWatch,
  { sinceMs, skipsLost }: { readonly sinceMs: number; readonly skipsLost: boolean },
): Promise<boolean> => {
  const fresh = reflector.catchUp(sinceMs);
  return skipsLost ? Promise.race([fresh, standing.lost]) : fresh;
};

/** A complete list for the cache, and the watch to which it belongs. */
export interface TakenList extends Pick<FollowedWatch, 'namespace' | 'standing'> {
  readonly items: readonly ApiObject[];
  readonly resourceVersion: string;
}

/** A failed list or watch request. */
export interface WatchAttempt extends Pick<FollowedWatch, 'namespace' | 'standing'> {
  readonly retryInMs: number;
}
