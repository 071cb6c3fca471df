import { RecentMap } from './recent-map.ts';

/** client-go's spam filter, tools/record/events_cache.go: 25 events about an object at once, then one every five minutes. */
const BURST = 25;
const REFILL_MS = 300_000;
/** Tokens that routine leaves to a kind's own events: a rollout by four steps has 13. */
const RESERVE = 15;
/** How many objects are remembered; client-go's number. */
const OBJECTS = 4096;

interface Bucket {
  readonly tokens: number;
  /** The time at which this number of tokens was available, in milliseconds. */
  readonly at: number;
}

/** How many events about one object are sent: a bucket of tokens for each. */
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
