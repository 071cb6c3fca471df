import type { FieldError } from '#lib/sim/machinery/field-error.ts';
import { goValue } from '#lib/sim/machinery/go-text.ts';
import { childOf, type FieldPath, invalidValue, keyOf, notSupported, required } from '#lib/sim/schema/field-errors.ts';
import { rangeMessage, type StringCheck } from './names.ts';
import { formatQuantity, isWhole, parseQuantity } from './quantity.ts';

/** What is wrong; empty when nothing is. */
export type FieldErrors = readonly FieldError[];

/** Nothing is wrong. */
export const fine: FieldErrors = Object.freeze([]);

/** `Not found: …`. */
export const notFoundField = (path: FieldPath, value: unknown): FieldError => ({
  reason: 'FieldValueNotFound',
  field: path,
  message: `Not found: ${goValue(value)}`,
});

/** One error for everything that is wrong with a string. */
export const checkText = (path: FieldPath, value: string, check: StringCheck): FieldErrors =>
  check(value).map((text) => invalidValue(path, value, text));

/** Numbers must not be negative; absent ones are not. */
export const checkNonNegative = (path: FieldPath, value: unknown): FieldErrors =>
  typeof value === 'number' && value < 0 ? [invalidValue(path, value, 'must be greater than or equal to 0')] : fine;

/** Numbers must be in a range, its ends included; absent ones are. */
export const checkRange = (path: FieldPath, value: unknown, [low, high]: readonly [number, number]): FieldErrors =>
  typeof value === 'number' && (value < low || value > high)
    ? [invalidValue(path, value, rangeMessage(low, high))]
    : fine;

/** The range of users and groups. */
export const idRange: readonly [number, number] = [0, 2 ** 31 - 1];

/** Ports of 1 to 65535. */
export const portRange: readonly [number, number] = [1, 65_535];

/** One of these texts; absent values are fine. */
export const checkKnown = (path: FieldPath, value: unknown, known: readonly string[]): FieldErrors =>
  value === undefined || (typeof value === 'string' && known.includes(value))
    ? fine
    : [notSupported(path, value, known)];

/** One of these texts; absent values are errors of their own. */
export const checkOneOf = (path: FieldPath, value: unknown, known: readonly string[]): FieldErrors =>
  value === undefined || value === '' ? [required(path)] : checkKnown(path, value, known);

/** Errors of all items of a list. */
export const forItems = <T>(
  path: FieldPath,
  items: readonly T[],
  check: (item: T, path: FieldPath, index: number) => FieldErrors,
): FieldErrors => (items.length === 0 ? fine : items.flatMap((item, i) => check(item, keyOf(path, i), i)));

/** Quantities must not be negative, and whole for resources that are counted. */
export const checkQuantity = (path: FieldPath, text: unknown, isCounted: boolean): FieldErrors => {
  const quantity = parseQuantity(String(text));
  if (quantity === undefined) return fine;
  const shown = formatQuantity(quantity);
  return [
    ...(quantity.nano < 0n ? [invalidValue(path, shown, 'must be greater than or equal to 0')] : []),
    ...(isCounted && !isWhole(quantity) ? [invalidValue(path, shown, 'must be an integer')] : []),
  ];
};

/** A number or a name of a port. */
export const checkPort = (path: FieldPath, port: unknown, nameCheck: StringCheck): FieldErrors =>
  typeof port === 'string' ? checkText(path, port, nameCheck) : checkRange(path, port ?? 0, portRange);

export { childOf, keyOf };
