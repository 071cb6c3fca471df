import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import { memberSchemaOf, valuesSchemaOf } from '#lib/cel/subschema.ts';
import { isPlainObject, type JsonObject, setOwn } from '#lib/json.ts';

/** Whether a schema has a default. A null default counts as absent, because the server does not distinguish the two. */
const hasDefault = (schema: StructuralSchema): schema is StructuralSchema & { readonly default: {} } =>
  schema.default !== undefined && schema.default !== null;

const mayNotBeNull = (schema: StructuralSchema | undefined): boolean =>
  schema !== undefined && schema.nullable !== true;

const defaultOf = (schema: StructuralSchema | undefined): unknown => schema?.default ?? null;

const mapList = (list: readonly unknown[], change: (item: unknown) => unknown): readonly unknown[] => {
  let changed = false;
  const items = list.map((item) => {
    const next = change(item);
    if (next !== item) changed = true;
    return next;
  });
  return changed ? items : list;
};

/** The properties with a default, by schema. */
const defaultedProperties = new WeakMap<
  StructuralSchema,
  readonly (readonly [name: string, schema: StructuralSchema])[]
>();

const defaultedOf = (schema: StructuralSchema): readonly (readonly [name: string, schema: StructuralSchema])[] => {
  let known = defaultedProperties.get(schema);
  if (known === undefined) {
    known = Object.entries(schema.properties ?? {}).filter(([, property]) => hasDefault(property));
    defaultedProperties.set(schema, known);
  }
  return known;
};

const withMissing = (object: JsonObject, schema: StructuralSchema): JsonObject => {
  let filled: Record<string, unknown> | undefined;
  for (const [name, property] of defaultedOf(schema)) {
    const given = Object.hasOwn(object, name);
    if (given && (object[name] !== null || !mayNotBeNull(property))) continue;
    filled ??= { ...object };
    setOwn(filled, name, property.default);
  }
  return filled ?? object;
};

const defaultObject = (object: JsonObject, schema: StructuralSchema): JsonObject => {
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
 * Fills in the defaults of a schema for missing members, and for nulls that the schema does not allow. Does not copy the
 * default values, because stored objects are frozen. The function is idempotent.
 *
 * @returns the same value when no default is missing
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apiserver/schema/defaulting/algorithm.go
 */
export const setDefaults = <T>(value: T, schema: StructuralSchema | undefined): T => {
  if (schema === undefined || typeof value !== 'object' || value === null) return value;
  if (isPlainObject(value)) return defaultObject(value, schema) as T;
  if (!Array.isArray(value)) return value;
  const { items } = schema;
  return mapList(value, (item) =>
    setDefaults(item === null && mayNotBeNull(items) ? defaultOf(items) : item, items),
  ) as T;
};

const isUselessNull = (value: unknown, schema: StructuralSchema | undefined): boolean =>
  value === null && schema !== undefined && schema.nullable !== true && !hasDefault(schema);

const dropFromObject = (object: JsonObject, schema: StructuralSchema | undefined): JsonObject => {
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
 * Drops null members that have a schema, if their schema neither allows null nor has a default.
 *
 * @returns the same value when there is no such member
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apiserver/schema/defaulting/prunenulls.go
 */
export const dropNulls = <T>(value: T, schema: StructuralSchema | undefined): T => {
  if (isPlainObject(value)) return dropFromObject(value, schema) as T;
  if (!Array.isArray(value)) return value;
  return mapList(value, (item) => dropNulls(item, schema?.items)) as T;
};
