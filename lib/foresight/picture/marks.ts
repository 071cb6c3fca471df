import { type MergedEntry, mergedTimeline } from '#lib/foresight/simulate/report/merged.ts';
import type { ResourceStory, SimulationReport } from '#lib/foresight/simulate/report/report.ts';
import { cut, textWidth } from './text-width.ts';

/** An event on the time axis. */
export interface PictureMark {
  readonly x: number;
  readonly look: 'user' | 'wrong' | 'mark';
  /** The full text of the event, shown as a tooltip. */
  readonly title: string;
  /** The text beside the mark, and its position; absent when the picture has no room for the text. */
  readonly label?: {
    readonly text: string;
    readonly row: number;
    readonly x: number;
    readonly anchor: 'start' | 'end';
  };
}

/** Options for {@link marksOf}. */
export interface MarksOptions {
  readonly story: ResourceStory;
  readonly xOf: (ms: number) => number;
  readonly rows: number;
  readonly left: number;
  readonly right: number;
}

const FONT = 12;
const WIDEST = 250;
/** Width factor of bold letters. */
const BOLD = 1.12;
/** If two marks with equal texts are within about this distance, the picture shows the text once. In pixels. */
const NEAR = 14;
/** Distance between the line of a mark and its text, in pixels. */
const INDENT = 5;
/** Margin of texts and lines, in pixels. */
const MARGIN = 6;
const LINE = 1.5;

/** Matches a URL, with its host and its last segment as groups. */
const ADDRESS = /\bhttps?:\/\/(?<host>[^/\s]+)(?:\/\S*?)?(?<end>[^/\s]*)(?=\s|$)/;

const spaced = (reason: string): string =>
  reason.replaceAll(/(?<=[a-z0-9])([A-Z])(?=[a-z])/g, (letter) => ` ${letter.toLowerCase()}`);

const lookOf = ({ sort, isBad = false }: MergedEntry): PictureMark['look'] => {
  if (sort === 'change') return 'user';
  return isBad ? 'wrong' : 'mark';
};

const textOf = ({ sort, what, why = '', object, of, pods }: MergedEntry, story: ResourceStory): string => {
  if (sort === 'event') return spaced(why);
  if (sort === 'effect') return what.replace(ADDRESS, '$<end>');
  if (object.startsWith('http')) return `${object.replace(ADDRESS, '$<host>')} ${what}`;
  if (sort === 'operator') return `operator ${what}`;
  const count = pods?.names.length ?? 0;
  if (count > 0 && (of ?? object) === story.object) return `${count === 1 ? 'a pod' : `${count} pods`}: ${what}`;
  return object === story.object || object === '' ? what : `${object.slice(object.lastIndexOf('/') + 1)} ${what}`;
};

/**
 * Whether an entry has a mark: changes by users and faults that can affect the resource, restarts of the operator, and events
 * of the resource. Effects have a mark only if the report has a single resource with pods. Changes of the state have no mark,
 * because the bands above the chart show the states.
 */
const isMarked = ({ sort, object, of, atMs }: MergedEntry, story: ResourceStory, isOnly: boolean): boolean => {
  const isOwn = (of ?? object) === story.object;
  if (sort === 'operator') return atMs > 0;
  if (sort === 'effect' || sort === 'event') return sort === 'effect' ? isOnly : isOwn;
  // A change of a node, or of the response of an HTTP server, can affect every resource.
  return sort === 'change' && (isOnly || isOwn || !object.includes('/') || object.startsWith('http'));
};

const RANK: Readonly<Record<PictureMark['look'], number>> = { user: 0, wrong: 1, mark: 2 };

interface Candidate {
  readonly entry: MergedEntry;
  readonly x: number;
  readonly text: string;
  readonly look: PictureMark['look'];
  /** Number of entries with the same text. */
  readonly count: number;
}

const candidatesOf = (report: SimulationReport, { story, xOf }: MarksOptions): readonly Candidate[] => {
  const isOnly = report.resources.filter(({ revisions }) => revisions.length > 0).length === 1;
  const entries = mergedTimeline(report).filter((entry) => isMarked(entry, story, isOnly));
  const texts = entries.map((entry) => textOf(entry, story));
  return entries.map((entry, index) => {
    const text = texts[index] ?? '';
    return {
      entry,
      x: xOf(entry.atMs),
      text,
      look: lookOf(entry),
      count: texts.filter((other) => other === text).length,
    };
  });
};

/** The space that the text of a mark needs, in pixels. */
interface Wish {
  readonly candidate: Candidate;
  readonly label: Omit<NonNullable<PictureMark['label']>, 'row'>;
  readonly from: number;
  readonly to: number;
}

type Taken = [from: number, to: number][];

const isFree = (taken: Taken = [], from: number, to: number): boolean =>
  taken.every(([start, end]) => to < start || from > end);

/**
 * Reserves the lowest row in which the text overlaps no other text, and its line to the mark crosses none. Returns `undefined`
 * when no row has enough room.
 */
const rowFor = (rows: readonly Taken[], { from, to, candidate }: Wish): number | undefined => {
  const { x } = candidate;
  const row = rows.findIndex(
    (taken, index) =>
      isFree(taken, from, to) && rows.slice(0, index).every((lower) => isFree(lower, x - LINE, x + LINE)),
  );
  if (row === -1) return undefined;
  rows[row]?.push([from, to]);
  for (const lower of rows.slice(0, row)) lower.push([x - LINE, x + LINE]);
  return row;
};

/** Assigns a row to each text, from right to left. Returns `undefined` when one of the texts has no room. */
const laidOut = (wishes: readonly Wish[], count: number): ReadonlyMap<Candidate, number> | undefined => {
  const rows = Array.from({ length: count }, (): Taken => []);
  const placed = new Map<Candidate, number>();
  for (const wish of wishes.toSorted(
    (a, b) => b.candidate.x - a.candidate.x || RANK[a.candidate.look] - RANK[b.candidate.look],
  )) {
    const row = rowFor(rows, wish);
    if (row === undefined) return undefined;
    placed.set(wish.candidate, row);
  }
  return placed;
};

const wishOf = (candidate: Candidate, right: number): Wish => {
  const { x, look } = candidate;
  const text = cut(candidate.text, FONT, WIDEST);
  const width = textWidth(text, FONT) * (look === 'mark' ? 1 : BOLD);
  const isRight = x + INDENT + width > right;
  const from = isRight ? x - INDENT - width - MARGIN : x + INDENT - LINE;
  const label = { text, x: isRight ? x - INDENT : x + INDENT, anchor: isRight ? ('end' as const) : ('start' as const) };
  return { candidate, label, from, to: from + width + MARGIN + LINE };
};

/** Maximum number of times that the picture shows the same text. */
const MOST_TIMES = 4;

/** Maximum number of marks for which the picture tries to find room. */
const MOST_TRIES = 120;

/**
 * Returns the marks of a resource. A mark has a text only if the text fits without overlap. Changes by users have priority over
 * failures, and failures over other events. Among events of equal priority, rare events come before frequent events.
 */
export const marksOf = (report: SimulationReport, options: MarksOptions): readonly PictureMark[] => {
  const candidates = candidatesOf(report, options);
  const ranked = candidates.toSorted((a, b) => RANK[a.look] - RANK[b.look] || a.count - b.count || a.x - b.x);
  const seen = new Set<string>();
  const said = new Map<string, number>();
  const wishes: Wish[] = [];
  let rows: ReadonlyMap<Candidate, number> = new Map();
  for (const candidate of ranked.slice(0, MOST_TRIES)) {
    const wish = wishOf(candidate, options.right);
    // Equal texts close to each other are shown once.
    const words = `${Math.round(candidate.x / NEAR)} ${wish.label.text}`;
    if (wish.label.text === '' || seen.has(words) || (said.get(candidate.text) ?? 0) >= MOST_TIMES) continue;
    const more = laidOut([...wishes, wish], options.rows);
    if (more === undefined) continue;
    seen.add(words);
    said.set(candidate.text, (said.get(candidate.text) ?? 0) + 1);
    wishes.push(wish);
    rows = more;
  }
  const labels = new Map(
    wishes.map(({ candidate, label }) => [candidate, { ...label, row: rows.get(candidate) ?? 0 }]),
  );
  return candidates.map((candidate) => {
    const { x, look, entry, text } = candidate;
    const label = labels.get(candidate);
    const title = entry.sort === 'event' ? `${text}: ${entry.what}` : text;
    return { x, look, title, ...(label && { label }) };
  });
};
