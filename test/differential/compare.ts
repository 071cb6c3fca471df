import { equalJson, isPlainObject } from '#lib/json.ts';
import type { NormalPlayed } from './normalise.ts';
import type { Step } from './step.ts';

/** One difference between two answers. */
export interface Difference {
  /** Such as `code`, `body.metadata.labels.tier`, `events[2].object.spec`. */
  readonly path: string;
  /** `undefined` for an absent value. */
  readonly expected: unknown;
  readonly actual: unknown;
}

/** One step whose answers differ. */
export interface Mismatch {
  readonly step: Step;
  readonly differences: readonly Difference[];
  readonly expected: NormalPlayed;
  readonly actual: NormalPlayed;
  /** The steps before `step`. */
  readonly earlier: readonly Step[];
}

/** Finds the differences between two values, as deep as possible. */
export const differencesOf = (expected: unknown, actual: unknown, path = ''): readonly Difference[] => {
  if (equalJson(expected, actual)) return [];
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const length = Math.max(expected.length, actual.length);
    return Array.from({ length }, (_, index) =>
      differencesOf(expected[index], actual[index], `${path}[${index}]`),
    ).flat();
  }
  if (isPlainObject(expected) && isPlainObject(actual)) {
    const names = [...new Set([...Object.keys(expected), ...Object.keys(actual)])].toSorted();
    return names.flatMap((name) => differencesOf(expected[name], actual[name], path === '' ? name : `${path}.${name}`));
  }
  return [{ path, expected, actual }];
};

const outcome = (played: NormalPlayed): unknown => ('answer' in played ? played.answer : played.watched);

const stepsOf = (played: readonly NormalPlayed[]): readonly Step[] => played.map(({ step }) => step);

/** All steps of a sequence whose answers differ, in order. */
export const mismatchesOf = (expected: readonly NormalPlayed[], actual: readonly NormalPlayed[]): readonly Mismatch[] =>
  expected.flatMap((one, index) => {
    const other = actual[index] as NormalPlayed;
    const differences = differencesOf(outcome(one), outcome(other));
    return differences.length === 0
      ? []
      : [{ step: one.step, differences, expected: one, actual: other, earlier: stepsOf(expected.slice(0, index)) }];
  });
