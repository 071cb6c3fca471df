import { invalidValue } from '#lib/apiserver/machinery/field-error.ts';
import { checkNonNegative, checkText, type FieldErrors, fine } from '#lib/apiserver/machinery/validation/field.ts';
import { isPercent } from './names.ts';

/** Checks a value that is a percentage or a non-negative number. An absent value is valid. */
export const checkIntOrPercent = (path: string, value: unknown): FieldErrors =>
  typeof value === 'string' ? checkText(path, value, isPercent) : checkNonNegative(path, value);

/** Whether a number or a percentage is zero or absent. As in Go, any other text counts as zero. */
export const isZero = (value: unknown): boolean =>
  value === undefined || value === 0 || (typeof value === 'string' && !/^[-+]?0*[1-9]\d*%?$/.test(value));

/** Returns an error for a percentage above 100 %. */
export const checkAtMostAll = (path: string, value: unknown): FieldErrors =>
  typeof value === 'string' && /^\d+%$/.test(value) && Number.parseInt(value, 10) > 100
    ? [invalidValue(path, value, 'must not be greater than 100%')]
    : fine;
