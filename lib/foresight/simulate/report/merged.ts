import type { SimulationReport, TimelineEntry } from './report.ts';

/** A line of a timeline: one or several similar entries. */
export interface MergedEntry extends TimelineEntry {
  /** Time of the last entry, in milliseconds since the start. */
  readonly untilMs: number;
}

const SCALED = /^scaled from (\d+) to (\d+)$/;

/** Key of entries that are merged when they are adjacent; `undefined` for entries that are not merged. */
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

/** Whether an entry repeats a recent one, such as an event with the message of a condition. */
const repeats = ({ sort, object, atMs, what }: TimelineEntry, told: readonly MergedEntry[]): boolean =>
  sort === 'event' &&
  told.some(
    (other) =>
      other.atMs === atMs && other.object === object && other.sort === 'status' && other.what.endsWith(`: ${what}`),
  );

/** How many entries to look back for a repetition. */
const RECENT = 8;

const PASSING_MS = 1000;

/** Drops a state that lasted less than a second. */
const dropPassing = (merged: MergedEntry[], { object, atMs }: TimelineEntry): void => {
  const place = merged.findLastIndex((other) => other.sort === 'status' && other.object === object);
  const other = merged[place];
  const isRecent = place >= merged.length - RECENT && other !== undefined && atMs - other.atMs < PASSING_MS;
  if (isRecent && other.isBad !== true) merged.splice(place, 1);
};

/** Shortens a timeline for people: drops implied entries and merges adjacent similar ones. */
export const mergedTimeline = ({ timeline }: Pick<SimulationReport, 'timeline'>): readonly MergedEntry[] => {
  const merged: MergedEntry[] = [];
  /** Index of each open group. */
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
