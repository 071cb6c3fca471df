import type { Finding } from './finding.ts';

/** A row of the table of rooms in ARCHITECTURE.md. */
export interface Room {
  readonly paths: readonly string[];
  /** The maximum number of lines of code in these paths together. */
  readonly budget: number;
}

/** A budget far above the size of its room permits growth without a decision. */
const SLACK = 0.1;

/** The rows of a Markdown table whose first cell has paths in backticks, and whose second cell has a number. */
export const roomsIn = (markdown: string): readonly Room[] =>
  [...markdown.matchAll(/^\| (`.*?) \| ([\d,]+) \| /gm)].map(([, cell = '', lines = '']) => ({
    paths: [...cell.matchAll(/`([^`]+?)\/?`/g)].map(([, path = '']) => path),
    budget: Number(lines.replaceAll(',', '')),
  }));

/** Rooms that have more lines than their budget, and rooms whose budget is out of date. */
export const outsideBudget = (rooms: readonly Room[], linesOf: (path: string) => number): readonly Finding[] =>
  rooms.flatMap(({ paths, budget }) => {
    const lines = paths.map(linesOf).reduce((sum, each) => sum + each, 0);
    const size = `${paths.join(', ')}: ${lines} lines, the budget in ARCHITECTURE.md is ${budget}`;
    if (lines > budget) {
      return [
        `${size}: remove lines of this room first, or raise its budget in the same commit and give the reason in the message`,
      ];
    }
    return lines < budget * (1 - SLACK) ? [`${size}: lower the budget, so that the room stays small`] : [];
  });
