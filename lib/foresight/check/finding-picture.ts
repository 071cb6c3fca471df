import { PICTURE_STYLE } from '#lib/foresight/picture/style.ts';
import { element, rounded, textElement } from '#lib/foresight/picture/svg.ts';
import { cut, textWidth } from '#lib/foresight/picture/text-width.ts';
import { clockText } from '#lib/foresight/simulate/script/time-text.ts';
import type { Failure } from '#lib/sim/explore/failure.ts';
import { findingProblemText } from './finding-text.ts';
import { type StoryLine, storyOf } from './story.ts';

const WIDTH = 1200;
const LEFT = 92;
const RIGHT = 40;
const TOP = 118;
const ROW = 27;
const FONT = 12;
const MOST_LINES = 45;
const TITLE_FONT = 20;
const PROBLEM_LINES = 4;

const SERVER = 'API server';
const CLUSTER = 'controllers and kubelet';

/** The column of an actor. Users, the API server and each operator have their own columns; all other actors share one column. */
const columnOf = (who: string): string =>
  who === 'user' || who === SERVER || who.startsWith('operator-') ? who : CLUSTER;

const columnsIn = (lines: readonly StoryLine[]): readonly string[] => {
  const seen = new Set(
    lines.flatMap(({ who, whom }) => [columnOf(who), ...(whom === undefined ? [] : [columnOf(whom)])]),
  );
  const operators = [...seen].filter((name) => name.startsWith('operator-')).toSorted((a, b) => (a < b ? -1 : 1));
  return [
    'user',
    ...(operators.length === 0 ? ['operator-1'] : operators),
    SERVER,
    ...(seen.has(CLUSTER) ? [CLUSTER] : []),
  ];
};

const LOOKS: Readonly<Record<StoryLine['sort'], string>> = {
  step: 'step',
  user: 'chosen',
  fault: 'fault',
  note: 'said',
};

interface Place {
  readonly y: number;
  readonly xOf: (who: string) => number;
  readonly columnWidth: number;
}

const isRefused = ({ outcome }: StoryLine): boolean => /^[45]\d\d\b/.test(outcome);

const wordsOf = ({ who, what, outcome }: StoryLine): string => {
  const name = columnOf(who) === CLUSTER && who !== 'cluster' ? `${who}: ` : '';
  const isPlain = outcome === '' || /^2\d\d(?:, 2\d\d)*$/.test(outcome);
  return `${name}${what.replaceAll(' default/', ' ')}${isPlain ? '' : ` · ${outcome}`}`;
};

/** An arrow between two columns, with its text above the line. */
const arrow = (line: StoryLine, { y, xOf, columnWidth }: Place): string => {
  const [from, to] = [xOf(columnOf(line.who)), xOf(columnOf(line.whom ?? line.who))];
  const direction = Math.sign(to - from);
  const look = line.sort === 'step' && isRefused(line) ? 'fault' : LOOKS[line.sort];
  const tip = to - direction * 2;
  const head = `M${rounded(tip)} ${y}l${-direction * 8} -4v8z`;
  const room = Math.abs(to - from) - 24;
  const text = cut(wordsOf(line), FONT, Math.max(room, columnWidth - 24));
  return [
    element('path', { d: `M${rounded(from)} ${y}H${rounded(tip)}`, class: `${look}-line` }),
    element('path', { d: head, class: `${look}-fill` }),
    textElement(
      'text',
      { x: (from + to) / 2, y: y - 5, class: `label halo ${look}-ink`, 'text-anchor': 'middle' },
      text,
    ),
  ].join('');
};

/** A box for an action, a fault or a note of a single actor. A note has no frame. */
const box = (line: StoryLine, { y, xOf }: Place): string => {
  const x = xOf(columnOf(line.who));
  const look = LOOKS[line.sort];
  const text = cut(wordsOf(line), FONT, WIDTH - RIGHT - LEFT - 40);
  const width = textWidth(text, FONT) + 20;
  const left = Math.max(LEFT + 4, Math.min(x - width / 2, WIDTH - RIGHT - width));
  const frame =
    line.sort === 'note' ? '' : element('rect', { x: left, y: y - 15, width, height: 20, rx: 4, class: `${look}-box` });
  const ink = line.sort === 'note' ? 'label halo' : 'label';
  return (
    frame +
    textElement('text', { x: left + width / 2, y: y - 1, class: `${ink} ${look}-ink`, 'text-anchor': 'middle' }, text)
  );
};

const rowSvg = (line: StoryLine, place: Place, isNewTime: boolean): string => {
  const time = isNewTime
    ? textElement(
        'text',
        { x: LEFT - 16, y: place.y, class: 'label dim num', 'text-anchor': 'end' },
        clockText(line.atMs),
      )
    : '';
  const isArrow = line.whom !== undefined && columnOf(line.whom) !== columnOf(line.who) && line.sort !== 'note';
  return time + (isArrow ? arrow(line, place) : box(line, place));
};

const broken = (text: string, width: number): readonly string[] => {
  const lines: string[] = [];
  for (const word of text.replaceAll(/\s+/g, ' ').split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && textWidth(`${last} ${word}`, FONT + 1) <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.slice(0, PROBLEM_LINES).map((line) => cut(line, FONT + 1, width));
};

const problemSvg = (text: string, y: number): { readonly svg: string; readonly height: number } => {
  const lines = broken(text, WIDTH - LEFT - RIGHT - 40);
  const height = lines.length * 19 + 18;
  const words = lines.map((line, index) =>
    textElement('text', { x: LEFT + 16, y: y + 22 + index * 19, class: 'fault-ink' }, line),
  );
  return {
    svg:
      element('rect', { x: LEFT - 4, y, width: WIDTH - LEFT - RIGHT + 4, height, rx: 6, class: 'fault-box' }) +
      words.join(''),
    height,
  };
};

/**
 * Draws the sequence of messages between users, operators, the API server and the rest of the cluster up to the failure, in at
 * most 45 rows. Faults are red.
 *
 * Guarantees: self-contained SVG without scripts, with a light and a dark scheme. Equal findings give equal bytes.
 *
 * @example
 * const { failure } = await check(options);
 * if (failure) await writeFile('finding.svg', findingPictureOf(failure));
 */
export const findingPictureOf = (failure: Failure): string => {
  const { lines, left } = storyOf(failure, MOST_LINES);
  const columns = columnsIn(lines);
  const columnWidth = (WIDTH - LEFT - RIGHT) / columns.length;
  const xOf = (who: string): number => LEFT + (Math.max(0, columns.indexOf(who)) + 0.5) * columnWidth;
  const rows = lines.map((line, index) =>
    rowSvg(
      line,
      { y: TOP + (index + 1) * ROW, xOf, columnWidth },
      clockText(line.atMs) !== clockText(lines[index - 1]?.atMs ?? -1000),
    ),
  );
  const bottom = TOP + (lines.length + 1) * ROW;
  const heads = columns.map((name) =>
    textElement('text', { x: xOf(name), y: TOP - 20, class: 'name', 'text-anchor': 'middle' }, name),
  );
  const lifelines = columns.map((name) =>
    element('path', { d: `M${rounded(xOf(name))} ${TOP - 8}V${bottom}`, class: 'axis' }),
  );
  const title = `${failure.scenario}: ${failure.problem.sort}`;
  const problem = problemSvg(findingProblemText(failure), bottom + 8);
  const height = bottom + problem.height + 50;
  const note = `${failure.schedule.length === 1 ? '1 chosen step' : `${failure.schedule.length} chosen steps`}, seed ${failure.seed}${left === 0 ? '' : `; ${left} lines that matter less are left out`}`;
  return `${element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      viewBox: `0 0 ${WIDTH} ${Math.round(height)}`,
      role: 'img',
      'aria-labelledby': 'title desc',
    },
    textElement('title', { id: 'title' }, title),
    textElement(
      'desc',
      { id: 'desc' },
      `${findingProblemText(failure)} What happened: ${lines.map(wordsOf).join('; ')}`,
    ),
    `<style>${PICTURE_STYLE}</style>`,
    element('rect', { width: WIDTH, height: Math.round(height), class: 'bg' }),
    textElement('text', { x: LEFT - 4, y: 44, class: 'title' }, cut(title, TITLE_FONT, WIDTH - LEFT - RIGHT)),
    ...lifelines,
    ...heads,
    `\n${rows.join('\n')}\n`,
    problem.svg,
    textElement('text', { x: LEFT - 4, y: height - 14, class: 'small dim' }, note),
  )}\n`;
};
