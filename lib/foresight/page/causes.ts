import type { ReportEvent } from './report-run.ts';

/** The sorts of events that change something, and can cause a write. */
const CAUSING = new Set(['write', 'change', 'effect', 'operator', 'fault']);

interface LastEvents {
  /** Index of the last event by actor. */
  readonly byActor: Map<string, number>;
  last: number;
}

/** The topmost owner of an object, at most ten levels up. */
const rootIn = (owners: readonly number[], object: number): number => {
  let root = object;
  for (let depth = 0; depth < 10; depth += 1) {
    const above = owners[root] ?? -1;
    if (above < 0) return root;
    root = above;
  }
  return root;
};

const latestByOthers = ({ byActor, last }: LastEvents, who: string): number | undefined => {
  const others = [...byActor].flatMap(([actor, index]) => (actor === who ? [] : [index]));
  return others.length === 0 ? (last === -1 ? undefined : last) : Math.max(...others);
};

/**
 * Adds its cause to each event that changes an object: the last earlier change of the same family by another actor. A family is a
 * topmost owner with all objects below it. Without such a change, the cause is the previous change of the family. A change by a
 * user has no cause, and is the cause of its writes.
 *
 * @param events - events without causes, in order
 */
export const withCauses = (events: readonly ReportEvent[]): readonly ReportEvent[] => {
  const owners: number[] = [];
  const families = new Map<number, LastEvents>();
  let userChange = -1;
  return events.map((event, index) => {
    const { object, sort, who, owner } = event;
    if (sort === 'change') userChange = index;
    if (object === undefined) return event;
    if (owner !== undefined) owners[object] = owner;
    if (!CAUSING.has(sort)) return event;
    const root = rootIn(owners, object);
    const family = families.get(root) ?? { byActor: new Map<string, number>(), last: -1 };
    families.set(root, family);
    const isByUser = who === 'user' && userChange !== -1;
    const cause = sort === 'change' ? undefined : isByUser ? userChange : latestByOthers(family, who);
    family.byActor.set(who, index);
    family.last = index;
    return cause === undefined ? event : { ...event, cause };
  });
};
