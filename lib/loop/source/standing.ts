import { ApiError, type ReconcileError } from '#lib/errors.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import type { Reflector } from '#lib/kube/reflector/types.ts';

/**
 * Why a watch fails. `refused`: the API server answers 403 or 404. `answered`: it answers with another error. Both are the same
 * for every replica. `local`: this process cannot reach the server, has invalid credentials (401), or cannot parse the
 * response.
 */
export type TroubleCause = 'refused' | 'answered' | 'local';

/** A watch that fails. */
export interface Trouble {
  readonly cause: TroubleCause;
  /** The error's code, such as `NotFound`. */
  readonly reason: string;
  /** Since when it has failed for this cause, by `Timers.elapsed`. */
  readonly sinceMs: number;
}

/**
 * The milliseconds after which an error other than 403 and 404 counts as the same for every replica, and a local cause as one
 * that lasts: watches are retried at least every 30 s, so some attempts have failed by then.
 */
const PATIENCE_MS = 120_000;

/**
 * Failures with a longer distance are separate: it is longer than the detection of a dead watch, plus the longest delay of an
 * attempt. A `Retry-After` of the server is added.
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
 * Flow: `failed` for each failure, `filled` when the list is in the cache, `heard` for each event and bookmark, and for a watch
 * that began and broke off: the server accepted the watch.
 *
 * Guarantees: settled for good once it was filled, refused, or failed with errors of the server for two minutes: another
 * replica would have the same result. Unfit while it fails for a local cause for two minutes: another replica may succeed.
 *
 * Caveats: computed at failures. A silent watch is no failure: it is ended elsewhere, and fails then.
 */
export class WatchStanding {
  #isFilled = false;
  #isSettled = false;
  #isUnfit = false;
  /** A failure until then belongs to the same trouble, by `Timers.elapsed`. */
  #goesOnUntilMs = -Infinity;
  #trouble: Trouble | undefined;

  get isFilled(): boolean {
    return this.#isFilled;
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  get isUnfit(): boolean {
    return this.#isUnfit;
  }

  /** The trouble that it is in; undefined when it is well, as far as is known. */
  get trouble(): Trouble | undefined {
    return this.#trouble;
  }

  filled(): void {
    this.#isFilled = true;
    this.#isSettled = true;
    this.heard();
  }

  heard(): void {
    this.#trouble = undefined;
    this.#isUnfit = false;
  }

  /** @param nowMs - by `Timers.elapsed` */
  failed(error: ReconcileError, nowMs: number): void {
    const cause = causeOf(error);
    const goesOn = this.#trouble?.cause === cause && nowMs < this.#goesOnUntilMs;
    const sinceMs = goesOn && this.#trouble ? this.#trouble.sinceMs : nowMs;
    this.#goesOnUntilMs = nowMs + GAP_MS + askedMsOf(error);
    this.#trouble = { cause, reason: error.code, sinceMs };
    const lasts = nowMs - sinceMs >= PATIENCE_MS;
    this.#isUnfit = cause === 'local' && lasts;
    this.#isSettled ||= cause === 'refused' || (cause === 'answered' && lasts);
  }
}

/** A failing watch, and the reason. */
export interface WatchProblem {
  /** Such as `podsets.app.example.com`. */
  readonly resource: string;
  /** Absent when the watch is for all namespaces. */
  readonly namespace?: string;
  /** Absent while it is only slow: its first list has not failed yet. */
  readonly trouble?: Trouble;
}

/** A failing watch, in one line, as in `racks.demo.example.com in blue: NotFound`. */
export const problemText = ({ resource, namespace, trouble }: WatchProblem): string =>
  `${resource}${namespace === undefined ? '' : ` in ${namespace}`}: ${trouble?.reason ?? 'not filled yet'}`;

/** One of the watches of a source. */
export interface FollowedWatch {
  readonly namespace: string | undefined;
  readonly standing: WatchStanding;
  readonly reflector: Reflector;
}

/** A list for the cache, and its watch. */
export interface TakenList extends Pick<FollowedWatch, 'namespace' | 'standing'> {
  readonly items: readonly ApiObject[];
  readonly resourceVersion: string;
}

/** A list or watch that failed. */
export interface WatchAttempt extends Pick<FollowedWatch, 'namespace' | 'standing'> {
  readonly retryInMs: number;
}
