import * as fc from 'fast-check';
import { isPlainObject } from '#lib/json.ts';
import type { JsonSchema } from '#lib/kind/json-schema/json-schema.ts';
import { compilePattern } from '#lib/kind/json-schema/regular-expression.ts';

const INSTANTS = [
  '2025-12-31T23:59:59Z',
  '2026-01-01T00:00:00.000001Z',
  '2026-01-01T00:10:00Z',
  '2026-02-01T00:00:00Z',
];
const KEYS = ['app', 'tier', 'example.com/role'];

const matching = (pattern: string): fc.Arbitrary<string> => {
  const compiled = compilePattern(pattern);
  return 'regExp' in compiled ? fc.stringMatching(compiled.regExp, { size: 'xsmall' }) : fc.constant('');
};

const fits = ({ minLength = 0, maxLength = Number.POSITIVE_INFINITY }: JsonSchema) => {
  return (text: string): boolean => {
    const { length } = Array.from(text);
    return length >= minLength && length <= maxLength;
  };
};

const textOf = (schema: JsonSchema): fc.Arbitrary<unknown> => {
  if (schema.format === 'date-time') return fc.constantFrom(...INSTANTS);
  if (schema.pattern !== undefined) return matching(schema.pattern).filter(fits(schema));
  const { minLength = 0, maxLength = 12 } = schema;
  return fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, 12)) });
};

/** Maximum number of pods: thousands of pods would test nothing more, and take time. */
const MANY = 40;
const REPLICAS = 10_000;

/** Small numbers more often than large ones: large ones behave alike. */
const numberOf = ({ minimum = -(2 ** 31), maximum = 2 ** 31 - 1 }: JsonSchema): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: minimum, max: Math.min(maximum, Math.max(minimum, 0) + 12) }) },
    { weight: 1, arbitrary: fc.constantFrom(minimum, maximum > REPLICAS ? maximum : Math.min(maximum, MANY)) },
  );

const listOf = (schema: JsonSchema): fc.Arbitrary<unknown> => {
  const { items = {}, minItems = 0, maxItems = 4 } = schema;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const type = schema['x-kubernetes-list-type'];
  const identity = (item: unknown): string =>
    JSON.stringify(isPlainObject(item) && type === 'map' ? keys.map((key) => item[key]) : item);
  const options = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, 4)) };
  if (type === 'map' || type === 'set') return fc.uniqueArray(validFor(items), { ...options, selector: identity });
  return fc.array(validFor(items), options);
};

const objectOf = ({ properties = {}, required = [], additionalProperties }: JsonSchema): fc.Arbitrary<unknown> => {
  if (isPlainObject(additionalProperties)) {
    return fc.dictionary(fc.constantFrom(...KEYS), validFor(additionalProperties), { maxKeys: 3 });
  }
  const fields = Object.entries(properties).map(([name, field]) => [name, validFor(field)] as const);
  return fc.record(Object.fromEntries(fields), { requiredKeys: [...required], noNullPrototype: true });
};

/**
 * Values that match a schema; CEL rules are ignored. Minimum sizes are met for the types that the schemas of this
 * repository use: lists and texts, not maps.
 */
export const validFor = (schema: JsonSchema): fc.Arbitrary<unknown> => {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema['x-kubernetes-int-or-string'] === true) return fc.oneof(numberOf(schema), textOf(schema));
  if (schema.type === 'string') return textOf(schema);
  if (schema.type === 'integer' || schema.type === 'number') return numberOf(schema);
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.type === 'array') return listOf(schema);
  return objectOf(schema);
};
