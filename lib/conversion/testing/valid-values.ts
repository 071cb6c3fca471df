import type * as FastCheck from 'fast-check';
import { InvariantError } from '#lib/errors.ts';
import { isPlainObject } from '#lib/json.ts';
import type { JsonSchema } from '#lib/kind/json-schema/json-schema.ts';
import { compilePattern } from '#lib/kind/json-schema/regular-expression.ts';

/** The module fast-check. The module is a parameter, because only tests depend on fast-check. */
export type FastCheckModule = typeof FastCheck;

type Arbitrary = FastCheck.Arbitrary<unknown>;

const INSTANTS = ['2025-12-31T23:59:59Z', '2026-01-01T00:00:00.000001Z', '2026-02-01T00:00:00Z'];
const KEYS = ['app', 'tier', 'example.com/role'];
const SHORT = 12;
const FEW = 4;

/** The number of attempts to generate a text that fits. Almost every pattern needs one or two. */
const ATTEMPTS = 50;

/** The text, repeated and cut so that its length is within the bounds. */
const fittedTo = (text: string, { minLength = 0, maxLength = Number.POSITIVE_INFINITY }: JsonSchema): string => {
  const { length } = Array.from(text);
  const long = length === 0 ? text : text.repeat(Math.max(1, Math.ceil(minLength / length)));
  return Array.from(long).slice(0, maxLength).join('');
};

/** Generates texts that match a pattern, with a length within the bounds. @throws {InvariantError} after too many attempts */
const matching = (fc: FastCheckModule, schema: JsonSchema, attempts = ATTEMPTS): FastCheck.Arbitrary<string> => {
  const { pattern = '', minLength = 0 } = schema;
  const compiled = compilePattern(pattern);
  if (!('regExp' in compiled)) return fc.constant('');
  const { regExp } = compiled;
  return fc.stringMatching(regExp, { size: 'xsmall' }).chain((text) => {
    const fitted = fittedTo(text, schema);
    if (regExp.test(fitted) && Array.from(fitted).length >= minLength) return fc.constant(fitted);
    if (attempts > 1) return matching(fc, schema, attempts - 1);
    throw new InvariantError(
      `Cannot generate a text for the pattern ${pattern} with its minLength and maxLength; correct one of them`,
    );
  });
};

const textOf = (fc: FastCheckModule, schema: JsonSchema): Arbitrary => {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, format, pattern } = schema;
  if (format === 'date-time') return fc.constantFrom(...INSTANTS);
  if (pattern === undefined) {
    return fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, SHORT)) });
  }
  return matching(fc, schema);
};

const numberOf = (fc: FastCheckModule, { minimum = -(2 ** 31), maximum = 2 ** 31 - 1 }: JsonSchema): Arbitrary =>
  fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: minimum, max: Math.min(maximum, Math.max(minimum, 0) + SHORT) }) },
    { weight: 1, arbitrary: fc.constantFrom(minimum, maximum) },
  );

const listOf = (fc: FastCheckModule, schema: JsonSchema): Arbitrary => {
  const { items = {}, minItems = 0, maxItems = FEW } = schema;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const type = schema['x-kubernetes-list-type'];
  const identity = (item: unknown): string =>
    JSON.stringify(isPlainObject(item) && type === 'map' ? keys.map((key) => item[key]) : item);
  const options = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, FEW)) };
  const each = validValues(fc, items);
  return type === 'map' || type === 'set'
    ? fc.uniqueArray(each, { ...options, selector: identity })
    : fc.array(each, options);
};

const objectOf = (fc: FastCheckModule, { properties = {}, required = [], ...schema }: JsonSchema): Arbitrary => {
  const { additionalProperties } = schema;
  if (isPlainObject(additionalProperties))
    return fc.dictionary(fc.constantFrom(...KEYS), validValues(fc, additionalProperties), { maxKeys: 3 });
  // Fields with a default are always present, because the API server stores objects with all defaults.
  const requiredKeys = Object.keys(properties).filter(
    (name) => required.includes(name) || properties[name]?.default !== undefined,
  );
  const fields = Object.entries(properties).map(([name, field]) => [name, validValues(fc, field)] as const);
  return fc.record(Object.fromEntries(fields), { requiredKeys, noNullPrototype: true });
};

/**
 * Generates values for a schema, small values more often than large ones. The values fit types, enums, patterns that JavaScript
 * can express, required fields, and bounds of numbers, strings and lists. The generator ignores other keywords, such as CEL
 * rules, `multipleOf` and alternatives. An object without declared fields is empty, unless `additionalProperties` has a schema.
 */
export const validValues = (fc: FastCheckModule, schema: JsonSchema): Arbitrary => {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema['x-kubernetes-int-or-string'] === true) return fc.oneof(numberOf(fc, schema), textOf(fc, schema));
  if (schema.type === 'string') return textOf(fc, schema);
  if (schema.type === 'integer' || schema.type === 'number') return numberOf(fc, schema);
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.type === 'array') return listOf(fc, schema);
  return objectOf(fc, schema);
};
