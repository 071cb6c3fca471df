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
 * Detects crowds of events that differ only in the names of children, as an update of many pods makes them. The first few of
 * them are sent unchanged.
 *
 * @see https://github.com/kubernetes/client-go/blob/v0.36.4/tools/record/events_cache.go (EventAggregator)
 */
export class EventCrowd {
  readonly #sorts = new RecentMap<Sort>(SORTS);

  /**
   * The event to send. An event that stands for many does not count as routine: there is only one of its sort, and it has the
   * most information.
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
