import { RecentMap } from './recent-map.ts';

/**
 * The limits of client-go's spam filter (tools/record/events_cache.go): 25 events about an object at once, then one event every
 * five minutes.
 */
const BURST = 25;
const REFILL_MS = 300_000;
/** The number of tokens that routine events cannot take. A rollout in four steps, for example, needs 13 tokens. */
const RESERVE = 15;
/** The number of objects with a remembered bucket, as in client-go. */
const OBJECTS = 4096;

interface Bucket {
  readonly tokens: number;
  /** The time at which the bucket had this number of tokens, in milliseconds. */
  readonly at: number;
}

/** Limits the number of events about one object. Each object has a bucket of tokens, and each event takes one token. */
export class EventBudget {
  readonly #buckets = new RecentMap<Bucket>(OBJECTS);

  /**
   * Takes a token of an object.
   *
   * @param now - milliseconds of a monotonic clock
   * @param isRoutine - a routine event cannot take the last 15 tokens, which are reserved for the events of the kind
   * @returns false when no token is available for this event
   */
  take(uid: string, now: number, isRoutine = false): boolean {
    const { tokens, at } = this.#buckets.get(uid) ?? { tokens: BURST, at: now };
    const refilled = Math.min(BURST, tokens + (now - at) / REFILL_MS);
    if (refilled < (isRoutine ? RESERVE + 1 : 1)) return false;
    this.#buckets.set(uid, { tokens: refilled - 1, at: now });
    return true;
  }
}
