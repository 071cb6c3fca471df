import { readFile, writeFile } from 'node:fs/promises';
import type { LastFigures } from './last.ts';
import { LAYER_ID, rounded } from './measure.ts';

const path = new URL('../../../docs/benchmarks.md', import.meta.url);

const BEGIN = '<!-- written by npm run bench -- --save -->';
const END = '<!-- to here -->';

const numberIn = (goal: string): number => Number(/[\d,.]+/.exec(goal)?.[0].replaceAll(',', '') ?? Number.NaN);

/** The distance of a figure from its goal, so that a miss by 3 % is not taken for a miss by a factor of six. */
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

const isLayer = (key: string): boolean => key.startsWith(`${LAYER_ID}: `);

/** `LAYER: events: part of P6b with 1000 PodSets` → `events`, `part of P6b with 1000 PodSets`. */
const layerParts = (key: string): readonly [layer: string, whole: string] => {
  const [, layer = key, whole = ''] = /^LAYER: (.+): ([^:]+)$/.exec(key) ?? [];
  return [layer, whole];
};

/** A table in Markdown of the layers of each size; nothing without figures of layers. */
const layersTables = ({ figures }: LastFigures): readonly string[] => {
  const layers = Object.entries(figures).filter(([key]) => isLayer(key));
  const bySize = Map.groupBy(layers, ([key]) => layerParts(key)[1]);
  return [...bySize].flatMap(([whole, parts]) => {
    const total = parts.reduce((sum, [, figure]) => sum + figure, 0);
    const rows = parts.map(([key, figure]) => {
      const percent = Math.round((100 * figure) / total);
      return `| ${layerParts(key)[0]} | ${rounded(figure)} | ${percent} % |`;
    });
    return [`| layer | ${whole} | of the operator |`, '|---|---|---|', ...rows, ''];
  });
};

/** Tables in Markdown of every committed figure and its goal, and of the layers. */
export const goalsTable = (last: LastFigures): string =>
  [
    BEGIN,
    '',
    `${last.date}, ${last.machine}, Node ${last.node}, Kubernetes ${last.kubernetes}.`,
    '',
    '| measure | goal | last | |',
    '|---|---|---|---|',
    ...Object.keys(last.figures)
      .filter((key) => !isLayer(key))
      .map((key) => rowOf(last, key)),
    '',
    ...layersTables(last),
    END,
  ].join('\n');

/** Replaces the table of the page by the table of these figures. */
const withGoals = (page: string, last: LastFigures): string => {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  return page.slice(0, begin) + goalsTable(last) + page.slice(end + END.length);
};

/** Writes the table of committed figures into the page about them. */
export const writeGoals = async (last: LastFigures): Promise<void> =>
  writeFile(path, withGoals(await readFile(path, 'utf8'), last));
