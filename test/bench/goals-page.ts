import { readFile, writeFile } from 'node:fs/promises';
import type { LastFigures } from './last.ts';
import { rounded } from './measure.ts';

const path = new URL('../../docs/benchmarks.md', import.meta.url);

const BEGIN = '<!-- written by npm run bench -- --save -->';
const END = '<!-- to here -->';

const numberIn = (goal: string): number => Number(/[\d,.]+/.exec(goal)?.[0].replaceAll(',', '') ?? Number.NaN);

/** How far a figure is from its goal: a miss by 3 % and one by six times are not the same. */
const distanceOf = (figure: number, goal: string): string => {
  const aim = numberIn(goal);
  const factor = goal.startsWith('≥') ? aim / figure : figure / aim;
  return Number.isFinite(factor) ? `**missed**, ${rounded(factor)} times` : '**missed**';
};

const rowOf = ({ figures, goals = {} }: LastFigures, key: string): string => {
  const figure = figures[key] ?? Number.NaN;
  const { goal, verdict } = goals[key] ?? { goal: '', verdict: 'note' };
  const words = { met: 'met', missed: distanceOf(figure, goal), note: 'no goal', unsteady: 'not judged' } as const;
  return `| ${key} | ${verdict === 'note' ? '' : goal} | ${rounded(figure)} | ${words[verdict]} |`;
};

/** Every committed figure beside its goal, as a table in Markdown. */
export const goalsTable = (last: LastFigures): string =>
  [
    BEGIN,
    '',
    `${last.date}, ${last.machine}, Node ${last.node}, Kubernetes ${last.kubernetes}.`,
    '',
    '| measure | goal | last | |',
    '|---|---|---|---|',
    ...Object.keys(last.figures).map((key) => rowOf(last, key)),
    '',
    END,
  ].join('\n');

/** The page with this table in the place of the one that it has. */
const withGoals = (page: string, last: LastFigures): string => {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  return page.slice(0, begin) + goalsTable(last) + page.slice(end + END.length);
};

/** Puts the table of committed figures into the page about them. */
export const writeGoals = async (last: LastFigures): Promise<void> =>
  writeFile(path, withGoals(await readFile(path, 'utf8'), last));
