import { keyOf, type LastFigures } from './last.ts';
import { type Row, rounded } from './measure.ts';

/** Where and when a report was made. */
export interface Circumstances {
  readonly node: string;
  readonly cores: number;
  readonly loadBefore: number;
  readonly loadAfter: number;
  readonly podSets: number;
  readonly windowSeconds: number;
  readonly cpuProfiled: boolean;
}

const verdictOf = ({ verdict, missedBy }: Row): string => {
  if (verdict === 'missed') return `missed by ${missedBy}`;
  const words = { met: 'met', note: '–', unsteady: 'not judged: floor unsteady' } as const;
  return words[verdict];
};

/** Compares a row with the last one of the same size: the last figure, and the factor between them. */
const comparedWith = (row: Row, last: LastFigures | undefined): readonly [string, string] => {
  const before = last?.figures[keyOf(row)];
  if (before === undefined || row.headline === undefined) return ['', ''];
  return [rounded(before), before === 0 ? '' : `× ${rounded(row.headline / before)}`];
};

/** The table for people; the results are in the last column, because they are long. */
export const toTable = (rows: readonly Row[], last?: LastFigures): string => {
  const cells = rows.map((row) => [
    row.id,
    row.measure,
    row.goal,
    verdictOf(row),
    ...comparedWith(row, last),
    row.result,
  ]);
  const table = [['', 'measure', 'goal', 'verdict', 'last', 'now', 'result'], ...cells];
  const widths = [0, 1, 2, 3, 4, 5].map((column) => Math.max(...table.map((line) => (line[column] ?? '').length)));
  return table
    .map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
};

/** The circumstances that belong to every figure. */
export const toFootnote = ({ node, cores, loadBefore, loadAfter }: Circumstances): string =>
  `Node ${node}, ${cores} cores, load ${loadBefore.toFixed(1)} before and ${loadAfter.toFixed(1)} after. ` +
  'Ratios are of this run; seconds are not to be compared with those of other runs or machines.';

/** The origin of the last figures. */
export const toOrigin = (last: LastFigures | undefined): string =>
  last
    ? `Last figures: ${last.date}, ${last.machine}, Node ${last.node}, Kubernetes ${last.kubernetes}.`
    : 'No last figures: `--save` writes those of this run into last.json.';

/** The JSON document. */
export const toJson = (rows: readonly Row[], circumstances: Circumstances): string =>
  JSON.stringify({ circumstances, rows }, undefined, 2);
