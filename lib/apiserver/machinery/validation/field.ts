import { type FieldError, type FieldPath, invalidValue, keyOf } from '../field-error.ts';
import type { StringCheck } from './content.ts';

/** What is wrong; empty when nothing is. */
export type FieldErrors = readonly FieldError[];

/** Nothing is wrong. */
export const fine: FieldErrors = Object.freeze([]);

/** One error for everything that is wrong with a string. */
export const checkText = (path: FieldPath, value: string, check: StringCheck): FieldErrors => {
  const problems = check(value);
  return problems.length === 0 ? fine : problems.map((text) => invalidValue(path, value, text));
};

/** Numbers must not be negative; absent ones are not. */
export const checkNonNegative = (path: FieldPath, value: unknown): FieldErrors =>
  typeof value === 'number' && value < 0 ? [invalidValue(path, value, 'must be greater than or equal to 0')] : fine;

/** Errors of all items of a list. */
export const forItems = <T>(
  path: FieldPath,
  items: readonly T[],
  check: (item: T, path: FieldPath, index: number) => FieldErrors,
): FieldErrors => (items.length === 0 ? fine : items.flatMap((item, i) => check(item, keyOf(path, i), i)));
