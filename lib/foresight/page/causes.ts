import type { ReportEvent } from './report-run.ts';

/** The sorts of events that change something, and can cause a write. */
const CAUSING = new Set(['write', 'change', 'effect', 'operator', 'fault']);

/** The subject at the beginning of the text of a change without an object. */
const SUBJECT = /^(?:Node [^:]+|operator\b)/;

/** The events of an object so far. Events are indexes; -1 for none. */
interface SeenObject {
  owner: number;
  /** The node of a pod. */
  node: string;
  /** The actor that writes the children. */
  controller: string;
  /** The last change by a user. */
  change: number;
  /** The event that deletes the object, or begins its deletion. */
  ending: number;
  /** The last event by actor, of the object, its children, and further objects below with the same controller. */
  readonly last: Map<string, number>;
}

/** An object and its owners, from the object up. */
type OwnerChain = readonly [SeenObject, ...SeenObject[]];

const isEnding = ({ effect, fields = [] }: ReportEvent): boolean =>
  effect === 'deleted' || fields.some(([path]) => path === 'metadata.deletionTimestamp');

class CauseFinder {
  readonly #events: ReportEvent[] = [];
  readonly #objects = new Map<number, SeenObject>();
  /** The last change of each node and of the operator. */
  readonly #faults = new Map<string, number>();
  #change = -1;

  /** Adds an event. @returns the index of its cause; -1 for none */
  add(event: ReportEvent): number {
    const index = this.#events.push(event) - 1;
    const { object, sort, who, what, owner, effect, fields = [] } = event;
    if (sort === 'change') this.#change = index;
    if (object === undefined) {
      if (sort === 'change') this.#faults.set(SUBJECT.exec(what)?.[0] ?? '', index);
      return sort === 'operator' ? (this.#faults.get('operator') ?? -1) : -1;
    }
    const seen = this.#seen(object);
    seen.owner = owner ?? seen.owner;
    seen.node = fields.find(([path]) => path === 'spec.nodeName')?.[2] ?? seen.node;
    if (!CAUSING.has(sort)) return -1;
    const isController = effect === 'created' || who.startsWith('operator');
    if (isController && seen.owner >= 0) this.#seen(seen.owner).controller = who;
    const chain = this.#chainOf(seen);
    const cause = this.#causeOf(event, chain);
    if (sort === 'change') seen.change = index;
    if (seen.ending === -1 && isEnding(event)) seen.ending = index;
    // A controller does not react to the steps of a pod from one state to the next, such as its scheduling.
    const isStep = seen.node !== '' && effect === 'changed' && event.state === undefined;
    const top = chain.findIndex((at, place) => place > 0 && at.controller !== chain[place + 1]?.controller);
    for (const at of chain.slice(0, isStep ? 1 : Math.max(1, top + 1))) at.last.set(who, index);
    return cause;
  }

  #seen(object: number): SeenObject {
    const known = this.#objects.get(object);
    const seen = known ?? { owner: -1, node: '', controller: '', change: -1, ending: -1, last: new Map() };
    this.#objects.set(object, seen);
    return seen;
  }

  /** At most ten levels, because owners can form a cycle. */
  #chainOf(seen: SeenObject): OwnerChain {
    const chain: [SeenObject, ...SeenObject[]] = [seen];
    let above = this.#objects.get(seen.owner);
    for (; above !== undefined && chain.length <= 10; above = this.#objects.get(above.owner)) chain.push(above);
    return chain;
  }

  #causeOf(event: ReportEvent, chain: OwnerChain): number {
    const { sort, who, atMs } = event;
    const [seen, above] = chain;
    // A namespace controller reacts to namespaces, which are not recorded.
    if (sort === 'change' || who === 'namespace controller') return -1;
    if (who === 'user' && this.#change !== -1)
      return this.#events[seen.change]?.atMs === atMs ? seen.change : this.#change;
    const endsWithOwner = isEnding(event) && (this.#events[seen.ending]?.who ?? who) === who;
    if (endsWithOwner && above !== undefined && above.ending !== -1) return above.ending;
    const root = chain.find((_, place) => chain[place + 1]?.controller !== who) ?? seen;
    const byOthers = [...root.last].flatMap(([actor, index]) => (actor === who ? [] : [index]));
    const fault = root === seen ? this.#faults.get(`Node ${seen.node}`) : undefined;
    return Math.max(fault ?? -1, ...byOthers);
  }
}

/**
 * Adds its cause to each event that changes an object, and to each start of the operator after a crash. docs/report.md describes the
 * causes. An event without a known cause stays as it is.
 *
 * @param events - events without causes, in order
 */
export const withCauses = (events: readonly ReportEvent[]): readonly ReportEvent[] => {
  const finder = new CauseFinder();
  return events.map((event) => {
    const cause = finder.add(event);
    return cause === -1 ? event : { ...event, cause };
  });
};
