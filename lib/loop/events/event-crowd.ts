import type { LoopEvent } from './event.ts';
import { eventIdentity } from './event-object.ts';
import { RecentMap } from './recent-map.ts';

/** The number of events of one sort that name the children. All further events of the sort form one series without names. */
const TOLD_ONE_BY_ONE = 3;
/**
 * The time without an event of a sort after which its events name the children again, in milliseconds, as in client-go
 * (tools/record/events_cache.go).
 */
const FORGOTTEN_MS = 600_000;
/** The number of sorts that are remembered, as in client-go. */
const SORTS = 4096;

interface Sort {
  readonly count: number;
  readonly lastSeen: number;
}

/**
 * Detects many events of one sort: events that differ only in the names of children. An update of many pods causes such events.
 * The first three events of a sort are sent unchanged.
 *
 * @see https://github.com/kubernetes/client-go/blob/v0.36.4/tools/record/events_cache.go (EventAggregator)
 */
export class EventCrowd {
  readonly #sorts = new RecentMap<Sort>(SORTS);

  /**
   * The event to send in place of the given event. The fourth and later events of a sort have their summary as the message. They
   * are not routine, because they form only one series, and can therefore use the reserved tokens of `EventBudget`.
   *
   * @param now - milliseconds of a monotonic clock
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
