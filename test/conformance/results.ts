import { readFileSync, writeFileSync } from 'node:fs';
import type { Outcome, Spec } from './report.ts';
import { additional, type Explained, knownFailures, outOfScope } from './scope.ts';

/** The committed results: every test once. */
export interface Results {
  /** The Kubernetes version of the tests. */
  readonly kubernetes: string;
  readonly passed: readonly string[];
  /** Failed tests by reason. */
  readonly failed: Readonly<Record<string, readonly string[]>>;
  /** Tests that are not run, by reason. */
  readonly outOfScope: Readonly<Record<string, readonly string[]>>;
}

/** The difference between a run and the committed results. */
export interface Comparison {
  /** Tests that passed in the committed results and fail now. */
  readonly regressions: readonly string[];
  /** Tests that failed or did not exist, and pass now. */
  readonly improvements: readonly string[];
  /** Tests that fail and are not among the committed failures. */
  readonly newFailures: readonly string[];
}

const file = new URL('results.json', import.meta.url);

/** Reads the committed results. */
export const readResults = (): Results => JSON.parse(readFileSync(file, 'utf8')) as Results;

/** Writes the results to commit. */
export const writeResults = (results: Results): void => writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);

const reasonIn = (rows: readonly Explained[], name: string): string | undefined =>
  rows.find(({ tests }) => tests.test(name))?.reason;

/** The reason why a test is not run; undefined for a test that is run. */
export const whyNot = (name: string): string | undefined => reasonIn(outOfScope, name);

/** True for tests in scope: the conformance tests, and some more. */
export const looksAt = ({ name, labels }: Spec): boolean => labels.includes('Conformance') || additional.test(name);

/** The reason of a failure without an explanation. */
export const UNEXPLAINED = 'not explained';

const grouped = (names: readonly string[], reasonOf: (name: string) => string): Record<string, readonly string[]> => {
  const groups: Record<string, string[]> = {};
  for (const name of names.toSorted()) (groups[reasonOf(name)] ??= []).push(name);
  return Object.fromEntries(Object.entries(groups).toSorted(([a], [b]) => (a < b ? -1 : 1)));
};

/** The results of a complete run, with the tests that are not run. */
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

/** The outcomes of a part of the tests, completed by the committed outcomes of all other tests. */
export const completed = (committed: Results, outcomes: readonly Outcome[]): readonly Outcome[] => {
  const run = new Set(outcomes.map(({ name }) => name));
  const others = committed.passed.filter((name) => !run.has(name));
  return [...outcomes, ...others.map((name) => ({ name, state: 'passed' as const, message: '', seconds: 0 }))];
};

/** Compares a run, or a part of one, with the committed results. */
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
