import { readFile, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { goModuleVersion } from '#test/control-plane/recipe.ts';
import { writeGoals } from './goals-page.ts';
import type { Row, Verdict } from './measure.ts';

/** The figures of an earlier run, as they are committed. */
export interface LastFigures {
  /** `2026-11-21` */
  readonly date: string;
  /** Such as `2 × Intel Xeon, 24 GiB`: seconds of another class of machine are not comparable. */
  readonly machine: string;
  readonly node: string;
  readonly kubernetes: string;
  /** The headline of each row by its id and measure, sizes included. */
  readonly figures: Readonly<Record<string, number>>;
  /** Goal and verdict of each figure; absent for figures without a goal. */
  readonly goals?: Readonly<Record<string, { readonly goal: string; readonly verdict: Verdict }>>;
}

const path = new URL('../last.json', import.meta.url);

/** The identity of a row, which stays the same in the next run of the same size. */
export const keyOf = ({ id, measure }: Row): string => `${id}: ${measure}`;

/** The committed figures; none before the first run was saved. */
export const readLast = async (): Promise<LastFigures | undefined> => {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as LastFigures;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
};

/**
 * Replaces the figures in last.json and in docs/benchmarks.md by those of this run. Figures that this run did not take stay.
 */
export const saveLast = async (rows: readonly Row[], before: LastFigures | undefined): Promise<void> => {
  const counted = rows.filter(({ headline }) => headline !== undefined);
  const taken = counted.map((row) => [keyOf(row), row.headline ?? Number.NaN] as const);
  const judged = counted.map((row) => [keyOf(row), { goal: row.goal, verdict: row.verdict }] as const);
  const last: LastFigures = {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    node: process.version,
    kubernetes: goModuleVersion('kube'),
    figures: { ...before?.figures, ...Object.fromEntries(taken) },
    goals: { ...before?.goals, ...Object.fromEntries(judged) },
  };
  await writeFile(path, `${JSON.stringify(last, undefined, 2)}\n`);
  await writeGoals(last);
};
