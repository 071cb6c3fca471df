import type { Issue } from '#lib/errors.ts';
import { equalJson, isPlainObject, type Json } from '#lib/json.ts';
import type { JsonSchema } from '../json-schema/json-schema.ts';
import { compilePattern } from '../json-schema/regular-expression.ts';
import { hasFormat } from './format.ts';
import { tryNearest } from './suggestion.ts';

const INT32_LIMIT = 2 ** 31;

/** The smallest whole number that the JSON decoder of Go reads as a float. The API server does not accept it as an integer. */
const INTEGER_LIMIT = 2 ** 63;

const ARTICLED: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};

const numberType = (value: number): string => {
  if (!Number.isFinite(value)) return 'other';
  return Number.isInteger(value) && Math.abs(value) < INTEGER_LIMIT ? 'integer' : 'number';
};

/**
 * The JSON type of a value. The type is `integer` for whole numbers of 64 bits, and `other` for values that JSON does not have.
 */
const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return numberType(value);
  if (typeof value === 'string' || typeof value === 'boolean') return typeof value;
  return isPlainObject(value) ? 'object' : 'other';
};

/**
 * The types that a schema allows; undefined if it allows any type. If `type` is set, it applies even to an integer or a string.
 */
const allowedTypes = (schema: JsonSchema): readonly string[] | undefined => {
  if (schema.type !== undefined && schema.type !== '') return [schema.type];
  return schema['x-kubernetes-int-or-string'] === true ? ['integer', 'string'] : undefined;
};

const unquoted = (value: string, wanted: readonly string[]): boolean => {
  if (wanted.includes('boolean')) return value === 'true' || value === 'false';
  if (wanted.includes('integer')) return /^-?\d+$/.test(value);
  return wanted.includes('number') && value.trim() !== '' && Number.isFinite(Number(value));
};

const typeFix = (value: unknown, wanted: readonly string[]): string | undefined => {
  if (value === null) return 'write a value, or leave the field out if it is optional';
  if (Number.isInteger(value) && wanted.includes('integer')) return 'use a number of at most 64 bits';
  if (value instanceof Date && wanted.includes('string')) return 'write date.toISOString()';
  if (typeof value === 'string' && unquoted(value, wanted)) return `write ${value} without quotes`;
  if ((typeof value === 'number' || typeof value === 'boolean') && wanted.includes('string')) return `write "${value}"`;
  return undefined;
};

const describe = (value: unknown): string => {
  const type = typeOf(value);
  if (type === 'null') return 'null';
  return ARTICLED[type] ?? 'something that JSON does not have';
};

/** Checks the JSON type. Null is allowed only if the schema is nullable, or allows any type. */
export const checkType = (schema: JsonSchema, value: unknown, path: string): Issue[] => {
  const wanted = allowedTypes(schema);
  const type = typeOf(value);
  if (type === 'null' && schema.nullable === true) return [];
  const matches = wanted === undefined || wanted.includes(type) || (type === 'integer' && wanted.includes('number'));
  if (matches && type !== 'other' && (type !== 'null' || wanted === undefined)) return [];
  const names = wanted?.map((name) => ARTICLED[name] ?? name).join(' or ') ?? 'a JSON value';
  const fix = typeFix(value, wanted ?? []);
  return [{ path, rule: 'type', value, message: `must be ${names}, not ${describe(value)}`, ...(fix && { fix }) }];
};

/** Checks the bounds, the format `int32` and `multipleOf` of a number. Returns at most one issue. */
export const checkNumber = (schema: JsonSchema, value: number, path: string): Issue[] => {
  const issue = (rule: string, message: string): Issue[] => [{ path, rule, value, message }];
  const { minimum, maximum, multipleOf, exclusiveMinimum, exclusiveMaximum } = schema;
  if (minimum !== undefined && (exclusiveMinimum === true ? value <= minimum : value < minimum)) {
    return issue('minimum', `must be ${exclusiveMinimum === true ? '>' : '>='} ${minimum}`);
  }
  if (maximum !== undefined && (exclusiveMaximum === true ? value >= maximum : value > maximum)) {
    return issue('maximum', `must be ${exclusiveMaximum === true ? '<' : '<='} ${maximum}`);
  }
  if (schema.format === 'int32' && (value < -INT32_LIMIT || value >= INT32_LIMIT)) {
    return issue('format', 'must be within the range of int32');
  }
  const isMultiple = multipleOf === undefined || Number.isInteger(Number((value / multipleOf).toPrecision(12)));
  return isMultiple ? [] : issue('multiple-of', `must be a multiple of ${multipleOf}`);
};

/** A function that checks whether a string matches a pattern in RE2 syntax. */
export type PatternMatcher = (pattern: string, text: string) => boolean;

/**
 * Matches with the engine of JavaScript, which needs no module. For some patterns, the time grows exponentially, so this matcher
 * is only for texts of trusted authors.
 */
export const matchesInJavaScript: PatternMatcher = (pattern, text) => {
  const compiled = compilePattern(pattern);
  // A pattern that cannot be compiled is reported as an issue of the definition.
  return 'refusal' in compiled || compiled.regExp.test(text);
};

/** Checks length in characters, pattern and format of a string. */
export const checkString = (
  schema: JsonSchema,
  value: string,
  { path, matches }: { readonly path: string; readonly matches: PatternMatcher },
): Issue[] => {
  const issues: Issue[] = [];
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format } = schema;
  const length = Array.from(value).length;
  if (length < minLength) {
    issues.push({
      path,
      rule: 'min-length',
      value,
      message: `must have at least ${minLength} character(s), has ${length}`,
    });
  }
  if (length > maxLength) {
    issues.push({
      path,
      rule: 'max-length',
      value,
      message: `must have at most ${maxLength} character(s), has ${length}`,
    });
  }
  if (pattern !== undefined && !matches(pattern, value)) {
    issues.push({ path, rule: 'pattern', value, message: `must match the pattern ${pattern}` });
  }
  if (format !== undefined && !hasFormat(format, value)) {
    issues.push({ path, rule: 'format', value, message: `must be in the format ${format}` });
  }
  return issues;
};

/** Checks that a value is one of the allowed values of an enum. */
export const checkEnum = (allowed: readonly Json[], value: unknown, path: string): Issue[] => {
  if (allowed.some((candidate) => equalJson(candidate, value))) return [];
  const texts = allowed.filter((candidate): candidate is string => typeof candidate === 'string');
  const nearest = typeof value === 'string' ? tryNearest(value, texts) : undefined;
  const message = `must be one of ${allowed.map((candidate) => JSON.stringify(candidate)).join(', ')}`;
  return [{ path, rule: 'enum', value, message, ...(nearest && { fix: `did you mean "${nearest}"?` }) }];
};
