import { readFileSync, writeFileSync } from 'node:fs';
import type { Outcome, Spec } from './report.ts';
import { additional, type Explained, knownFailures, outOfScope } from './scope.ts';

/** What is committed: every test once. */
export interface Results {
  /** The version of Kubernetes whose tests these are. */
  readonly kubernetes: string;
  readonly passed: readonly string[];
  /** By reason. */
  readonly failed: Readonly<Record<string, readonly string[]>>;
  /** Not run, by reason. */
  readonly outOfScope: Readonly<Record<string, readonly string[]>>;
}

/** What a run says of what is committed. */
export interface Comparison {
  /** Passed then, and not now. */
  readonly regressions: readonly string[];
  /** Failed then, or was not there, and passes now. */
  readonly improvements: readonly string[];
  /** Fails, and is not among the failures. */
  readonly newFailures: readonly string[];
}

const file = new URL('results.json', import.meta.url);

/** What is committed. */
export const readResults = (): Results => JSON.parse(readFileSync(file, 'utf8')) as Results;

/** Writes what is to be committed. */
export const writeResults = (results: Results): void => writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);

const reasonIn = (rows: readonly Explained[], name: string): string | undefined =>
  rows.find(({ tests }) => tests.test(name))?.reason;

/** Why a test is not run; absent for one that is. */
export const whyNot = (name: string): string | undefined => reasonIn(outOfScope, name);

/** The tests that are looked at: those that make a cluster conform, and some more. */
export const looksAt = ({ name, labels }: Spec): boolean => labels.includes('Conformance') || additional.test(name);

/** What a failure that nobody has explained is called. */
export const UNEXPLAINED = 'not explained';

const grouped = (names: readonly string[], reasonOf: (name: string) => string): Record<string, readonly string[]> => {
  const groups: Record<string, string[]> = {};
  for (const name of names.toSorted()) (groups[reasonOf(name)] ??= []).push(name);
  return Object.fromEntries(Object.entries(groups).toSorted(([a], [b]) => (a < b ? -1 : 1)));
};

/** What came of a whole run, with what was not run. */
export const resultsOf = (kubernetes: string, specs: readonly Spec[], outcomes: readonly Outcome[]): Results => {
  const looked = specs.filter(looksAt).map(({ name }) => name);
  const passed = new Set(outcomes.filter(({ state }) => state === 'passed').map(({ name }) => name));
  const run = looked.filter((name) => whyNot(name) === undefined);
  const failures = run.filter((name) => !passed.has(name));
  return {
    kubernetes,
    passed: run.filter((name) => passed.has(name)).toSorted(),
    failed: grouped(failures, (name) => reasonIn(knownFailures, name) ?? UNEXPLAINED),
    outOfScope: grouped(
      looked.filter((name) => whyNot(name) !== undefined),
      (name) => whyNot(name) ?? '',
    ),
  };
};

/** Compares a run, or a part of one, with what is committed. */
export const compareWith = (committed: Results, outcomes: readonly Outcome[]): Comparison => {
  const passed = new Set(committed.passed);
  const failed = new Set(Object.values(committed.failed).flat());
  const namesOf = (isMeant: (outcome: Outcome) => boolean): readonly string[] =>
    outcomes
      .filter(isMeant)
      .map(({ name }) => name)
      .toSorted();
  return {
    regressions: namesOf(({ name, state }) => state !== 'passed' && passed.has(name)),
    improvements: namesOf(({ name, state }) => state === 'passed' && !passed.has(name)),
    newFailures: namesOf(({ name, state }) => state === 'failed' && !passed.has(name) && !failed.has(name)),
  };
};
