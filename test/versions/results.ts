import { readFileSync, writeFileSync } from 'node:fs';
import type { Subject, Target } from './target.ts';

/** The result of a test file on one version. */
export interface SuiteResult {
  readonly passed: number;
  /** Tests that this version cannot run, and those of `npm run test:soak`. */
  readonly skipped: number;
  /** Names of failed tests. */
  readonly failed: readonly string[];
}

/** The results of one version. */
export interface VersionResult {
  /** Such as `v1.33.13`. */
  readonly version: string;
  /** The day of the run. */
  readonly date: string;
  /** By test file. */
  readonly suites: Readonly<Record<string, SuiteResult>>;
}

/** The committed results, by line, such as `1.33`. */
export type Results = Readonly<Record<Subject, Readonly<Record<string, VersionResult>>>>;

const file = new URL('results.json', import.meta.url);

/** Reads the committed results. */
export const readResults = (): Results => JSON.parse(readFileSync(file, 'utf8')) as Results;

/** Writes the results to commit. */
export const writeResults = (results: Results): void => writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);

/** Replaces the results of one version; the others stay, with their dates. */
export const withResult = (
  results: Results,
  { subject, line }: Pick<Target, 'subject' | 'line'>,
  result: VersionResult,
): Results => ({ ...results, [subject]: { ...results[subject], [line]: result } });

/** Names of the failed tests. */
export const failuresOf = ({ suites }: VersionResult): readonly string[] =>
  Object.entries(suites).flatMap(([path, { failed }]) => failed.map((name) => `${path}: ${name}`));
