/** The ranks of events. Events of the first rank are sent first and dropped last. */
export const EVENT_RANKS = ['incident', 'news', 'again', 'repeat'] as const;

/**
 * `incident`: the first warning of its reason about an object; `news`: any other event that is the first of its reason;
 * `again`: the same reason with another message; `repeat`: the count of an earlier event.
 */
export type EventRank = (typeof EVENT_RANKS)[number];

/** The properties of an event that decide when {@link WaitingEvents} sends or drops it. */
export interface RankedEvent {
  readonly namespace: string;
  readonly rank: EventRank;
}

/** The events of one rank, by namespace; the namespaces in the order of their turns. */
type Turns<E> = Map<string, E[]>;

/**
 * Events that wait to be sent.
 *
 * Guarantees: `take` returns events of the highest rank first. Within a rank, namespaces take turns; within a namespace, events
 * keep their order. `drop` removes an event of the lowest rank: the latest one of the namespace that has the most events of this
 * rank.
 */
export class WaitingEvents<E extends RankedEvent> {
  readonly #ranks = Object.fromEntries(EVENT_RANKS.map((rank) => [rank, new Map()])) as Record<EventRank, Turns<E>>;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The rank of the next event; undefined when no event waits. */
  get nextRank(): EventRank | undefined {
    return EVENT_RANKS.find((rank) => this.#ranks[rank].size > 0);
  }

  add(event: E): void {
    const turns = this.#ranks[event.rank];
    const own = turns.get(event.namespace);
    if (own) own.push(event);
    else turns.set(event.namespace, [event]);
    this.#size += 1;
  }

  take(): E | undefined {
    const rank = this.nextRank;
    if (rank === undefined) return undefined;
    const turns = this.#ranks[rank];
    const [[namespace, own] = []] = turns;
    if (namespace === undefined || own === undefined) return undefined;
    const event = own.shift();
    // The namespace moves to the end of the order.
    turns.delete(namespace);
    if (own.length > 0) turns.set(namespace, own);
    this.#size -= 1;
    return event;
  }

  drop(): E | undefined {
    const rank = EVENT_RANKS.findLast((each) => this.#ranks[each].size > 0);
    if (rank === undefined) return undefined;
    const turns = this.#ranks[rank];
    const [[namespace, own] = []] = [...turns].toSorted(([, one], [, other]) => other.length - one.length);
    if (namespace === undefined || own === undefined) return undefined;
    const event = own.pop();
    if (own.length === 0) turns.delete(namespace);
    this.#size -= 1;
    return event;
  }

  clear(): void {
    for (const rank of EVENT_RANKS) this.#ranks[rank].clear();
    this.#size = 0;
  }
}
