import { type FieldPath, invalidValue, notSupported, required } from '#lib/apiserver/machinery/field-error.ts';
import type { StringCheck } from '#lib/apiserver/machinery/validation/content.ts';
import { checkText, type FieldErrors, fine } from '#lib/apiserver/machinery/validation/field.ts';
import { formatQuantity, isWhole, parseQuantity } from '../codec/quantity.ts';
import { rangeMessage } from './names.ts';

/** Checks that a number is in a range, including its ends. An absent number is valid. */
export const checkRange = (path: FieldPath, value: unknown, [low, high]: readonly [number, number]): FieldErrors =>
  typeof value === 'number' && (value < low || value > high)
    ? [invalidValue(path, value, rangeMessage(low, high))]
    : fine;

/** The range of user and group IDs, with both ends. */
export const idRange: readonly [number, number] = [0, 2 ** 31 - 1];

/** The range of ports, with both ends. */
export const portRange: readonly [number, number] = [1, 65_535];

/** Checks that a value is one of the known texts. An absent value is valid. */
export const checkKnown = (path: FieldPath, value: unknown, known: readonly string[]): FieldErrors =>
  value === undefined || (typeof value === 'string' && known.includes(value))
    ? fine
    : [notSupported(path, value, known)];

/** Checks that a value is one of the known texts. An absent or empty value is an error. */
export const checkOneOf = (path: FieldPath, value: unknown, known: readonly string[]): FieldErrors =>
  value === undefined || value === '' ? [required(path)] : checkKnown(path, value, known);

/** Checks that a well-formed quantity is not negative. The quantity of a counted resource must also be a whole number. */
export const checkQuantity = (path: FieldPath, text: unknown, isCounted: boolean): FieldErrors => {
  const quantity = typeof text === 'string' ? parseQuantity(text) : undefined;
  if (quantity === undefined) return fine;
  const shown = formatQuantity(quantity);
  return [
    ...(quantity.nano < 0n ? [invalidValue(path, shown, 'must be greater than or equal to 0')] : []),
    ...(isCounted && !isWhole(quantity) ? [invalidValue(path, shown, 'must be an integer')] : []),
  ];
};

/** Checks a port, which is either a number or a name. An absent port is an error. */
export const checkPort = (path: FieldPath, port: unknown, nameCheck: StringCheck): FieldErrors =>
  typeof port === 'string' ? checkText(path, port, nameCheck) : checkRange(path, port ?? 0, portRange);
