import { type FieldPath, invalidValue, notSupported, required } from '#lib/apiserver/machinery/field-error.ts';
import type { StringCheck } from '#lib/apiserver/machinery/validation/content.ts';
import { checkText, type FieldErrors, fine } from '#lib/apiserver/machinery/validation/field.ts';
import { rangeMessage } from './names.ts';
import { formatQuantity, isWhole, parseQuantity } from './quantity.ts';

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
