import type { JsonObject } from '#lib/json.ts';
import { type FieldError, type FieldPath, invalidValue, keyPath } from '../field-error.ts';
import type { StringCheck } from './content.ts';

/** Validation errors; empty for a valid value. */
export type FieldErrors = readonly FieldError[];

/** No errors. */
export const fine: FieldErrors = Object.freeze([]);

/** Returns one error for each problem of a string. */
export const checkText = (path: FieldPath, value: string, check: StringCheck): FieldErrors => {
  const problems = check(value);
  return problems.length === 0 ? fine : problems.map((text) => invalidValue(path, value, text));
};

/** Returns an error for a negative number. An absent number is valid. */
export const checkNonNegative = (path: FieldPath, value: unknown): FieldErrors =>
  typeof value === 'number' && value < 0 ? [invalidValue(path, value, 'must be greater than or equal to 0')] : fine;

/**
 * Returns a check that remembers frozen valid objects, and does not check them again. Use it for objects that many requests share.
 * A frozen object must be deeply frozen.
 *
 * @param check - its result must depend only on the object; only the paths of errors may depend on the path
 */
export const onceValid = (
  check: (path: FieldPath, value: JsonObject) => FieldErrors,
): ((path: FieldPath, value: JsonObject) => FieldErrors) => {
  const valid = new WeakSet();
  return (path, value) => {
    if (valid.has(value)) return fine;
    const errors = check(path, value);
    if (errors.length === 0 && Object.isFrozen(value)) valid.add(value);
    return errors;
  };
};

/** Returns the errors of all items of a list. `check` receives the path and the index of an item. */
export const forItems = <T>(
  path: FieldPath,
  items: readonly T[],
  check: (item: T, path: FieldPath, index: number) => FieldErrors,
): FieldErrors => (items.length === 0 ? fine : items.flatMap((item, i) => check(item, keyPath(path, i), i)));
