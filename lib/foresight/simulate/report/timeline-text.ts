import { clockText, durationText } from '#lib/foresight/simulate/script/time-text.ts';
import { type MergedEntry, mergedTimeline } from './merged.ts';
import type { SimulationReport } from './report.ts';

/** Options for {@link timelineText}. */
export interface TimelineTextOptions {
  /** The width at which lines are wrapped, at least 40. @default no limit */
  readonly columns?: number;
  /** Colours a mark or a word. @default no colours */
  readonly paint?: (text: string, tone: 'user' | 'bad' | 'dim') => string;
}

const MARKS: Readonly<Partial<Record<MergedEntry['sort'], string>>> = { change: '>', operator: '*' };

const OBVIOUS = new Set(['Missing', 'Changed']);

/** The texts for changes of pods. */
const POD_WORDS: Readonly<Record<string, string>> = {
  created: 'created',
  ready: 'ready',
  'not ready': 'not ready any more',
  terminating: 'terminating',
  over: 'done',
  failed: 'failed',
};

type Labels = ReadonlyMap<string, string>;

const INSTANT = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g;

/** Replaces virtual timestamps by times since the start. */
const withMoments = (text: string, startedAt: string): string =>
  text.replaceAll(INSTANT, (instant) => {
    const ms = Date.parse(instant) - Date.parse(startedAt);
    return ms >= 0 ? clockText(ms) : instant;
  });

const podsText = ({ what, pods, object }: MergedEntry, labels: Labels): string => {
  const count = pods?.names.length ?? 0;
  const label = labels.get(`${object} ${pods?.revision ?? ''}`);
  const ofLabel = label === undefined ? '' : ` of ${label}`;
  return `${count} ${count === 1 ? 'pod' : 'pods'}${ofLabel} ${POD_WORDS[what] ?? what}`;
};

const textOf = (entry: MergedEntry, labels: Labels): string => {
  const { sort, what, why, pods, atMs, untilMs } = entry;
  const until = clockText(untilMs) === clockText(atMs) ? '' : ` (until ${clockText(untilMs)})`;
  if (sort === 'pods' || (pods?.names.length ?? 0) > 1) return `${podsText(entry, labels)}${until}`;
  if (sort === 'operator') return `operator ${what}`;
  if (sort === 'event') return `${why ?? ''}: ${what}`;
  const reason = why === undefined || OBVIOUS.has(why) ? '' : ` (${why})`;
  return `${what}${reason}${until}`;
};

/** Wraps a text at spaces. A word that is longer than a line is not broken. */
const broken = (text: string, width: number): readonly string[] => {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
};

const shortObject = (object: string): string => object.replace(' default/', ' ');

const WIDEST_OBJECT = 32;
const NARROW = 70;

/** Labels of revisions by resource and revision. */
const labelsOf = ({ resources }: SimulationReport): Labels =>
  new Map(
    resources.flatMap(({ object, revisions }) => revisions.map(({ id, label }) => [`${object} ${id}`, label] as const)),
  );

const summary = ({ durationMs, requests, seed }: SimulationReport): string => {
  const operator = Object.entries(requests).flatMap(([who, verbs]) =>
    who.startsWith('operator') ? Object.values(verbs) : [],
  );
  const sum = operator.reduce((total, count) => total + count, 0);
  return `${durationText(durationMs)} simulated, seed ${seed}; the operator sent ${sum} requests`;
};

/**
 * Formats a report as a timeline. `>` marks changes of the script, `*` starts of the operator, `!` warnings and failures.
 *
 * @example
 * // 0:02:06    Deployer nginx  Step 2/4 · 30 % · scaling: version 1.7.8: step 2 of 4 (30%) waits for its pods to be available
 */
export const timelineText = (report: SimulationReport, options: TimelineTextOptions = {}): string => {
  const { columns = Infinity, paint = (text) => text } = options;
  const entries = mergedTimeline(report);
  const labels = labelsOf(report);
  const longest = Math.max(0, ...entries.map(({ object }) => shortObject(object).length));
  const isNarrow = columns < NARROW;
  const width = isNarrow ? 0 : Math.min(WIDEST_OBJECT, longest);
  const said = (entry: MergedEntry): string => withMoments(textOf(entry, labels), report.startedAt);
  const lines = entries.flatMap((entry) => {
    const { atMs, sort, object, isBad = false } = entry;
    const mark = isBad ? '!' : (MARKS[sort] ?? ' ');
    const tone = isBad ? 'bad' : sort === 'change' ? 'user' : undefined;
    const head = `${clockText(atMs)} ${mark} `;
    const subject = isNarrow
      ? `${shortObject(object)}${object === '' ? '' : ': '}`
      : `${shortObject(object).padEnd(width)}  `;
    const indent = isNarrow ? head.length : head.length + width + 2;
    const [first = '', ...rest] = broken(isNarrow ? `${subject}${said(entry)}` : said(entry), columns - indent);
    const text = isNarrow ? first : `${subject}${first}`;
    const line =
      tone === undefined
        ? `${paint(head, 'dim')}${text}`
        : `${paint(head.slice(0, -2), 'dim')}${paint(`${mark} ${text}`, tone)}`;
    return [line.trimEnd(), ...rest.map((more) => `${' '.repeat(indent)}${more}`)];
  });
  return [report.title, '', ...lines, '', ...broken(summary(report), columns)].join('\n');
};
