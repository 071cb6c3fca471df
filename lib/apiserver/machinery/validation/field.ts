import { type FieldError, type FieldPath, invalidValue, keyPath } from '../field-error.ts';
import type { StringCheck } from './content.ts';

/** Validation errors; empty for a valid value. */
export type FieldErrors = readonly FieldError[];

/** No errors. */
export const fine: FieldErrors = Object.freeze([]);

/** Joins all problems of a string into one error. */
export const checkText = (path: FieldPath, value: string, check: StringCheck): FieldErrors => {
  const problems = check(value);
  return problems.length === 0 ? fine : problems.map((text) => invalidValue(path, value, text));
};

/** Refuses negative numbers. An absent number is valid. */
export const checkNonNegative = (path: FieldPath, value: unknown): FieldErrors =>
  typeof value === 'number' && value < 0 ? [invalidValue(path, value, 'must be greater than or equal to 0')] : fine;

/** Collects the errors of all items of a list. */
export const forItems = <T>(
  path: FieldPath,
  items: readonly T[],
  check: (item: T, path: FieldPath, index: number) => FieldErrors,
): FieldErrors => (items.length === 0 ? fine : items.flatMap((item, i) => check(item, keyPath(path, i), i)));
