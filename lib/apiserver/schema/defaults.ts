import { isPlainObject, type JsonObject } from '#lib/json.ts';
import type { Schema } from '#lib/apiserver/machinery/schema.ts';
import { memberSchemaOf, setOwn, valuesSchemaOf } from './subschema.ts';

/** A default of null counts as none: the server cannot tell them apart. */
const hasDefault = (schema: Schema): schema is Schema & { readonly default: {} } =>
  schema.default !== undefined && schema.default !== null;

const mayNotBeNull = (schema: Schema | undefined): boolean => schema !== undefined && schema.nullable !== true;

const defaultOf = (schema: Schema | undefined): unknown => schema?.default ?? null;

const mapList = (list: readonly unknown[], change: (item: unknown) => unknown): readonly unknown[] => {
  let changed = false;
  const items = list.map((item) => {
    const next = change(item);
    if (next !== item) changed = true;
    return next;
  });
  return changed ? items : list;
};

/** The properties that can be filled in or lead to some that can; most schemas have few. */
const defaultedProperties = new WeakMap<Schema, readonly (readonly [name: string, schema: Schema])[]>();

const defaultedOf = (schema: Schema): readonly (readonly [name: string, schema: Schema])[] => {
  let known = defaultedProperties.get(schema);
  if (known === undefined) {
    known = Object.entries(schema.properties ?? {}).filter(([, property]) => hasDefault(property));
    defaultedProperties.set(schema, known);
  }
  return known;
};

const withMissing = (object: JsonObject, schema: Schema): JsonObject => {
  let filled: Record<string, unknown> | undefined;
  for (const [name, property] of defaultedOf(schema)) {
    const given = Object.hasOwn(object, name);
    if (given && (object[name] !== null || !mayNotBeNull(property))) continue;
    filled ??= { ...object };
    setOwn(filled, name, property.default);
  }
  return filled ?? object;
};

const defaultObject = (object: JsonObject, schema: Schema): JsonObject => {
  const filled = withMissing(object, schema);
  const values = valuesSchemaOf(schema);
  let result: Record<string, unknown> | undefined;
  for (const name of Object.keys(filled)) {
    const value = filled[name];
    const declared = schema.properties !== undefined && Object.hasOwn(schema.properties, name);
    const replaced = !declared && value === null && values !== undefined && mayNotBeNull(values);
    const next = setDefaults(replaced ? defaultOf(values) : value, memberSchemaOf(schema, name));
    if (next === value) continue;
    result ??= { ...filled };
    setOwn(result, name, next);
  }
  return result ?? filled;
};

/**
 * Fills in what a schema defaults: members that are missing, and nulls where the schema allows none. Defaults are not
 * copied, since everything stored is frozen. Idempotent.
 *
 * @returns the same value when nothing was missing
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apiserver/schema/defaulting/algorithm.go
 */
export const setDefaults = <T>(value: T, schema: Schema | undefined): T => {
  if (schema === undefined || typeof value !== 'object' || value === null) return value;
  if (isPlainObject(value)) return defaultObject(value, schema) as T;
  if (!Array.isArray(value)) return value;
  const { items } = schema;
  return mapList(value, (item) =>
    setDefaults(item === null && mayNotBeNull(items) ? defaultOf(items) : item, items),
  ) as T;
};

const isUselessNull = (value: unknown, schema: Schema | undefined): boolean =>
  value === null && schema !== undefined && schema.nullable !== true && !hasDefault(schema);

const dropFromObject = (object: JsonObject, schema: Schema | undefined): JsonObject => {
  let result: Record<string, unknown> | undefined;
  for (const name of Object.keys(object)) {
    const member = memberSchemaOf(schema, name);
    const value = object[name];
    const dropped = isUselessNull(value, member);
    const next = dropped ? undefined : dropNulls(value, member);
    if (next === value) continue;
    result ??= { ...object };
    if (dropped) delete result[name];
    else setOwn(result, name, next);
  }
  return result ?? object;
};

/**
 * Drops members that are null where the schema allows no null and has no default.
 *
 * @returns the same value when there are none
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apiserver/schema/defaulting/prunenulls.go
 */
export const dropNulls = <T>(value: T, schema: Schema | undefined): T => {
  if (isPlainObject(value)) return dropFromObject(value, schema) as T;
  if (!Array.isArray(value)) return value;
  return mapList(value, (item) => dropNulls(item, schema?.items)) as T;
};
