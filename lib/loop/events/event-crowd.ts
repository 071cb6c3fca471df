import type { LoopEvent } from './event.ts';
import { eventIdentity } from './event-object.ts';
import { RecentMap } from './recent-map.ts';

/** So many events of a sort are told with the names of children; the rest is one series. */
const TOLD_ONE_BY_ONE = 3;
/** After so much silence, in milliseconds, names are told again; client-go's number (tools/record/events_cache.go). */
const FORGOTTEN_MS = 600_000;
/** So many sorts are remembered; client-go's number. */
const SORTS = 4096;

interface Sort {
  readonly count: number;
  readonly lastSeen: number;
}

/**
 * Tells a crowd from single events: of those that differ by names of children alone, as an update of many pods makes them, the first
 * few are told as they are.
 *
 * @see https://github.com/kubernetes/client-go/blob/v0.36.4/tools/record/events_cache.go (EventAggregator)
 */
export class EventCrowd {
  readonly #sorts = new RecentMap<Sort>(SORTS);

  /**
   * The event as it is to be told. One that stands for many is no routine: there is one of a sort, and it tells most.
   *
   * @param now - milliseconds that only grow
   */
  wordsFor(event: LoopEvent, now: number): LoopEvent {
    const { summary } = event;
    if (summary === undefined) return event;
    const summed = { ...event, message: summary, isRoutine: false };
    const sort = eventIdentity(summed);
    const before = this.#sorts.get(sort);
    const count = before && now - before.lastSeen < FORGOTTEN_MS ? before.count + 1 : 1;
    this.#sorts.set(sort, { count, lastSeen: now });
    return count > TOLD_ONE_BY_ONE ? summed : event;
  }
}
