import type { Issue } from '#lib/errors.ts';
import { canonicalJson, childPath, isPlainObject, type JsonObject, memberOf, membersOf } from '#lib/json.ts';
import type { JsonSchema } from '../json-schema/json-schema.ts';
import { tryNearest } from './suggestion.ts';

/** A function that checks a value against a schema. The checks of collections use it for their members. */
export type Check = (schema: JsonSchema, value: unknown, path: string) => Issue[];

/** The treatment of unknown fields of an object. */
export interface ObjectMode {
  /** Whether the schema is within `allOf`, `anyOf`, `oneOf` or `not`. Such a schema may omit fields of the object. */
  readonly restricting: boolean;
}

const EMBEDDED_FIELDS = new Set(['apiVersion', 'kind', 'metadata']);

const listed = (names: readonly string[]): string => (names.length === 0 ? 'there are none' : names.join(', '));

const unknownField = (schema: JsonSchema, name: string, path: string, value: unknown): Issue => {
  const allowed = Object.keys(schema.properties ?? {});
  const nearest = tryNearest(name, allowed);
  const message = `unknown field "${name}"; allowed: ${listed(allowed)}`;
  return { path, rule: 'unknown-field', value, message, ...(nearest && { fix: `did you mean "${nearest}"?` }) };
};

const checkCount = (
  unit: string,
  count: number,
  limits: { min?: number | undefined; max?: number | undefined; path: string },
): Issue[] => {
  const { min = 0, max = Number.POSITIVE_INFINITY, path } = limits;
  if (count < min) return [{ path, rule: `min-${unit}`, value: count, message: `must have at least ${min} ${unit}` }];
  return count > max ? [{ path, rule: `max-${unit}`, value: count, message: `must have at most ${max} ${unit}` }] : [];
};

const mayHaveUnknown = (schema: JsonSchema, name: string): boolean =>
  schema['x-kubernetes-preserve-unknown-fields'] === true ||
  schema.additionalProperties === true ||
  (schema['x-kubernetes-embedded-resource'] === true && EMBEDDED_FIELDS.has(name));

/** Checks required, known and unknown fields, the values of a map, and the number of members. */
export const checkObject = (
  schema: JsonSchema,
  value: JsonObject,
  { path, check, restricting }: ObjectMode & { path: string; check: Check },
): Issue[] => {
  const members = membersOf(value);
  const missing = (schema.required ?? []).filter((name) => memberOf(value, name) === undefined);
  const issues: Issue[] = missing.map((name) => ({
    path: childPath(path, name),
    rule: 'required',
    message: 'is required',
  }));
  for (const [name, member] of members) {
    const known = memberOf(schema.properties, name);
    const values = isPlainObject(schema.additionalProperties) ? schema.additionalProperties : undefined;
    const field = known ?? values;
    if (field !== undefined) issues.push(...check(field, member, childPath(path, name)));
    else if (!restricting && !mayHaveUnknown(schema, name)) {
      issues.push(unknownField(schema, name, childPath(path, name), member));
    }
  }
  const { minProperties: min, maxProperties: max } = schema;
  return [...issues, ...checkCount('properties', members.length, { min, max, path })];
};

const keysOf = (item: unknown, keys: readonly string[]): unknown =>
  isPlainObject(item) ? Object.fromEntries(keys.map((key) => [key, memberOf(item, key)])) : item;

/**
 * Checks that a set has distinct items, and a map list has distinct keys: see listtype/validation.go of
 * apiextensions-apiserver.
 */
const checkDistinct = (schema: JsonSchema, items: readonly unknown[], path: string): Issue[] => {
  const type = schema['x-kubernetes-list-type'];
  if (type !== 'set' && type !== 'map') return [];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const seen = new Map<string, number>();
  return items.flatMap((item, at): Issue[] => {
    const identity = type === 'map' ? keysOf(item, keys) : item;
    const first = seen.get(canonicalJson(identity));
    if (first === undefined) {
      seen.set(canonicalJson(identity), at);
      return [];
    }
    const what = type === 'map' ? `the same ${keys.join(' and ')} as` : 'a duplicate of';
    return [{ path: `${path}[${at}]`, rule: 'duplicate', value: identity, message: `is ${what} ${path}[${first}]` }];
  });
};

/** Checks the items and their number, and, for sets and map lists, that they are distinct. */
export const checkList = (
  schema: JsonSchema,
  value: readonly unknown[],
  { path, check, isToken }: { path: string; check: Check; isToken: (value: unknown) => boolean },
): Issue[] => {
  const { items, minItems: min, maxItems: max } = schema;
  const inItems = items === undefined ? [] : value.flatMap((item, at) => check(items, item, `${path}[${at}]`));
  const distinct = value.some(isToken) ? [] : checkDistinct(schema, value, path);
  return [...inItems, ...distinct, ...checkCount('items', value.length, { min, max, path })];
};
