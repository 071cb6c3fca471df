import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import { isInteger } from '#lib/apiserver/machinery/text/go-format.ts';
import { goNumber } from '#lib/apiserver/machinery/text/go-text.ts';
import { patternOf } from '#lib/cel/pattern.ts';
import { formatCheck } from './formats.ts';
import {
  addFailure,
  factorNotPositive,
  notMultiple,
  outOfBounds,
  patternFailed,
  rootFailure,
  textTooLong,
  textTooShort,
  type ValidationFailure,
  type ValidationResult,
  wrongTypeFailure,
} from './result.ts';

/** Returns the length in code points, as Go counts. */
const lengthOf = (text: string): number => {
  let length = 0;
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) length += 1;
  return length;
};

/** Checks the length and the pattern of a text. Only the first failure is reported. */
export const validateText = (
  result: ValidationResult,
  schema: StructuralSchema,
  { value, path }: { value: string; path: string },
): void => {
  const { maxLength, minLength, pattern } = schema;
  if (maxLength !== undefined && value.length > maxLength && lengthOf(value) > maxLength) {
    addFailure(result, textTooLong(path, maxLength));
  } else if (minLength !== undefined && lengthOf(value) < minLength) {
    addFailure(result, textTooShort(path, value, minLength));
  } else if (pattern !== undefined && pattern !== '' && !patternOf(pattern).test(value)) {
    addFailure(result, patternFailed(path, value, pattern));
  }
};

/** Whether a schema has a string format that this server checks. Other formats have no effect on strings. */
export const isKnownFormat = ({ type, format }: StructuralSchema): boolean =>
  format !== undefined && (type === undefined || type === 'string') && formatCheck(format) !== undefined;

/** Checks the format of a string. */
export const validateFormat = (
  result: ValidationResult,
  schema: StructuralSchema,
  { value, path }: { value: string; path: string },
): void => {
  const { format = '' } = schema;
  if (formatCheck(format)?.(value) === false) addFailure(result, wrongTypeFailure(path, format, value));
};

const RANGES: Readonly<Record<string, readonly [number, number]>> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int64: [-(2 ** 63), 2 ** 63],
};

const MAX_FLOAT = 3.4028234663852886e38;

const numberFormat = ({ type, format = '' }: StructuralSchema): string => {
  if (type === 'integer') return format === 'int32' || format === 'int64' ? format : '';
  return type === 'number' && (format === 'float' || format === 'double') ? format : '';
};

const fitsRange = (value: number, schema: StructuralSchema): boolean => {
  const format = numberFormat(schema);
  if (schema.type !== 'integer') return format !== 'float' || Math.abs(value) <= MAX_FLOAT;
  const [low, high] = RANGES[format] ?? [-(2 ** 63), 2 ** 63];
  return Number.isInteger(value) && value >= low && value <= high;
};

/**
 * Returns the text of the failure if a number does not fit the type and format of a schema; '' if the number fits. The number is
 * a value, or a limit in the schema itself, such as `maximum`.
 *
 * @see k8s.io/kube-openapi pkg/validation/validate/values.go (`IsValueValidAgainstRange`)
 */
const rangeFailure = (
  what: string,
  value: number,
  { schema, path }: { schema: StructuralSchema; path: string },
): string => {
  if (fitsRange(value, schema)) return '';
  const format = numberFormat(schema);
  const kind = format === '' ? `${schema.type ?? ''} (default format)` : `${schema.type} with format ${format}`;
  return `${what} value must be of type ${kind} in ${path}`;
};

const EPSILON = 1e-9;

/** Whether a quotient is whole, apart from rounding errors. @see github.com/go-openapi/swag (`IsFloat64AJSONInteger`) */
const isWhole = (value: number): boolean => {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  const whole = Math.trunc(value);
  return whole === value || (whole !== 0 && Math.abs(value - whole) / Math.abs(value + whole) < EPSILON);
};

/** Whether a number counts as an integer for the type check. */
export const isIntegral = (value: number): boolean => isInteger(value) || isWhole(value);

const isMultiple = (value: number, factor: number): boolean => {
  if (Number.isInteger(value) && Number.isInteger(factor)) return value % factor === 0;
  return isWhole(factor < 1 ? (1 / factor) * value : value / factor);
};

/** Returns the whole number with which an integer is compared. As on the real server, bounds beyond 64 bits wrap around. */
const wholeLimit = (limit: number): number => (Math.abs(limit) < 2 ** 63 ? Math.trunc(limit) : -(2 ** 63));

interface Limit {
  readonly what: string;
  readonly limit: number;
  /** Returns the failure of a comparison with `limit`; undefined if the value is within the limit. */
  failure(limit: number): ValidationFailure | undefined;
}

interface Measured {
  readonly value: number;
  readonly path: string;
}

const multipleLimit = ({ multipleOf }: StructuralSchema, { value, path }: Measured): Limit | undefined => {
  if (multipleOf === undefined) return undefined;
  const failure = (factor: number) => {
    if (factor <= 0) return factorNotPositive(path, factor);
    return isMultiple(value, factor) ? undefined : notMultiple(path, value, factor);
  };
  return { what: 'MultipleOf', limit: multipleOf, failure };
};

const lowerLimit = (
  { minimum, exclusiveMinimum = false }: StructuralSchema,
  { value, path }: Measured,
): Limit | undefined => {
  if (minimum === undefined) return undefined;
  const relation = exclusiveMinimum ? 'greater than' : 'greater than or equal to';
  const failure = (limit: number) =>
    value > limit || (value === limit && !exclusiveMinimum)
      ? undefined
      : outOfBounds(path, value, `${relation} ${goNumber(limit)}`);
  return { what: 'Minimum boundary', limit: minimum, failure };
};

const upperLimit = (
  { maximum, exclusiveMaximum = false }: StructuralSchema,
  { value, path }: Measured,
): Limit | undefined => {
  if (maximum === undefined) return undefined;
  const relation = exclusiveMaximum ? 'less than' : 'less than or equal to';
  const failure = (limit: number) =>
    value < limit || (value === limit && !exclusiveMaximum)
      ? undefined
      : outOfBounds(path, value, `${relation} ${goNumber(limit)}`);
  return { what: 'Maximum boundary', limit: maximum, failure };
};

const LIMITS = [multipleLimit, lowerLimit, upperLimit];

/** Checks that a number and the limits in its schema fit the type, and that the number is within the limits. */
export const validateNumber = (result: ValidationResult, schema: StructuralSchema, { value, path }: Measured): void => {
  const place = { schema, path };
  const range = rangeFailure('Checked', value, place);
  if (range !== '') addFailure(result, rootFailure(range));
  for (const make of LIMITS) {
    const limit = make(schema, { value, path });
    if (limit === undefined) continue;
    const unfit = rangeFailure(limit.what, limit.limit, place);
    if (unfit !== '') addFailure(result, rootFailure(unfit));
    const failure = limit.failure(unfit === '' && isInteger(value) ? wholeLimit(limit.limit) : limit.limit);
    if (failure !== undefined) addFailure(result, failure);
  }
};
