import type { LoopEvent } from './event.ts';
import { eventIdentity } from './event-object.ts';
import { RecentMap } from './recent-map.ts';

/** How many events of a sort name the children; the rest is one series. */
const TOLD_ONE_BY_ONE = 3;
/** The silence after which events name children again, in milliseconds; client-go's number (tools/record/events_cache.go). */
const FORGOTTEN_MS = 600_000;
/** How many sorts are remembered; client-go's number. */
const SORTS = 4096;

interface Sort {
  readonly count: number;
  readonly lastSeen: number;
}

/**
 * Separates a crowd from single events: of events that differ in names of children alone, as an update of many pods makes them, the first
 * few are sent as they are.
 *
 * @see https://github.com/kubernetes/client-go/blob/v0.36.4/tools/record/events_cache.go (EventAggregator)
 */
export class EventCrowd {
  readonly #sorts = new RecentMap<Sort>(SORTS);

  /**
   * The event as it is sent. One that stands for many is no routine: there is one of a sort, and it says most.
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
