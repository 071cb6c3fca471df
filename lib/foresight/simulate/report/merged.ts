import type { SimulationReport, TimelineEntry } from './report.ts';

/** A line of a timeline: one or several similar entries. */
export interface MergedEntry extends TimelineEntry {
  /** Time of the last entry, in milliseconds since the start. */
  readonly untilMs: number;
}

const SCALED = /^scaled from (\d+) to (\d+)$/;

/** The key of entries that can be merged; `undefined` for an entry that is never merged. */
const groupOf = ({ sort, object, of, what, pods, atMs }: TimelineEntry): string | undefined => {
  if (sort === 'pods') return `${object} ${pods?.revision ?? ''} ${what}`;
  if (sort === 'change' && of !== undefined) return `${of} ${what} ${atMs}`;
  return sort === 'child' && SCALED.test(what) ? `${object} scaled` : undefined;
};

const together = (first: MergedEntry, next: TimelineEntry): MergedEntry => {
  const untilMs = next.atMs;
  if (first.pods !== undefined && next.pods !== undefined) {
    const { of } = next;
    const names = [...first.pods.names, ...next.pods.names];
    return { ...first, untilMs, ...(of !== undefined && { object: of }), pods: { ...first.pods, names } };
  }
  const [from, to] = [SCALED.exec(first.what)?.[1], SCALED.exec(next.what)?.[2]];
  return { ...first, untilMs, what: `scaled from ${from} to ${to}` };
};

/** Whether an event has the same message as a change of the status at the same time. The timeline does not show such an event. */
const repeats = ({ sort, object, atMs, what }: TimelineEntry, told: readonly MergedEntry[]): boolean =>
  sort === 'event' &&
  told.some(
    (other) =>
      other.atMs === atMs && other.object === object && other.sort === 'status' && other.what.endsWith(`: ${what}`),
  );

/** Number of previous entries among which a repetition is searched. */
const RECENT = 8;

/** The time, in milliseconds, after which a state is worth a line of its own. */
export const PASSING_MS = 1000;

/** The state of a status entry, without its sentence. */
const stateIn = ({ what }: TimelineEntry): string => what.split(': ', 1)[0] ?? '';

/**
 * Removes the previous state of a resource from the timeline if this state lasted less than a second, unless it was another
 * failure.
 */
const dropPassing = (merged: MergedEntry[], entry: TimelineEntry): void => {
  const place = merged.findLastIndex((other) => other.sort === 'status' && other.object === entry.object);
  const other = merged[place];
  if (other === undefined || entry.atMs - other.atMs >= PASSING_MS) return;
  const isUpdate = stateIn(other) === stateIn(entry);
  if (isUpdate || (place >= merged.length - RECENT && other.isBad !== true)) merged.splice(place, 1);
};

/** Shortens a timeline for readers: drops entries that follow from other entries, and merges adjacent similar entries. */
export const mergedTimeline = ({ timeline }: Pick<SimulationReport, 'timeline'>): readonly MergedEntry[] => {
  const merged: MergedEntry[] = [];
  /** The index of the line to which the next entry with a key is added. */
  const open = new Map<string, number>();
  for (const entry of timeline) {
    if (entry.isMinor === true || repeats(entry, merged.slice(-RECENT))) continue;
    const group = groupOf(entry);
    const place = group === undefined ? undefined : open.get(group);
    const first = place === undefined ? undefined : merged[place];
    if (place !== undefined && first !== undefined) {
      merged[place] = together(first, entry);
      continue;
    }
    if (entry.sort === 'status') dropPassing(merged, entry);
    if (group === undefined) open.clear();
    else open.set(group, merged.length);
    merged.push({ ...entry, untilMs: entry.atMs });
  }
  return merged;
};
