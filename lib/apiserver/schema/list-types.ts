import {
  duplicate,
  type FieldError,
  type FieldPath,
  invalidValue,
  keyPath,
  memberPath,
} from '#lib/apiserver/machinery/field-error.ts';
import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import { valuesSchemaOf } from '#lib/cel/subschema.ts';
import { canonicalJson, isPlainObject, type JsonObject, memberOf } from '#lib/json.ts';

/** Returns the index of the second occurrence of each repeated value. */
const repeated = (values: readonly unknown[]): number[] => {
  const times = new Map<string, number>();
  const places: number[] = [];
  values.forEach((value, index) => {
    const text = typeof value === 'string' ? `"${value}` : canonicalJson(value);
    const seen = times.get(text) ?? 0;
    times.set(text, seen + 1);
    if (seen === 1) places.push(index);
  });
  return places;
};

const keysOf = (item: unknown, names: readonly string[]): JsonObject => {
  const present = names.filter((name) => isPlainObject(item) && Object.hasOwn(item, name));
  return Object.fromEntries(present.map((name) => [name, isPlainObject(item) ? memberOf(item, name) : undefined]));
};

const validateMapList = (list: readonly unknown[], schema: StructuralSchema, path: FieldPath): FieldError[] => {
  const wrong = list.findIndex((item) => item !== null && !isPlainObject(item));
  if (wrong >= 0) {
    return [invalidValue(keyPath(path, wrong), list[wrong], 'must be an object for an array of list-type map')];
  }
  if (list.length < 2) return [];
  const keys = list.map((item) => keysOf(item, schema['x-kubernetes-list-map-keys'] ?? []));
  return repeated(keys).map((index) => duplicate(keyPath(path, index), keys[index]));
};

const validateUniqueness = (list: readonly unknown[], schema: StructuralSchema, path: FieldPath): FieldError[] => {
  if (schema['x-kubernetes-list-type'] === 'map') return validateMapList(list, schema, path);
  if (schema['x-kubernetes-list-type'] !== 'set' || list.length < 2) return [];
  return repeated(list).map((index) => duplicate(keyPath(path, index), list[index]));
};

const validateItems = (list: readonly unknown[], schema: StructuralSchema, path: FieldPath): FieldError[] => {
  const errors = validateUniqueness(list, schema, path);
  const { items } = schema;
  if (items === undefined || !hasListTypes(items)) return errors;
  return [...errors, ...list.flatMap((item, index) => validateListTypes(item, items, keyPath(path, index)))];
};

const validateMembers = (object: JsonObject, schema: StructuralSchema, path: FieldPath): FieldError[] => {
  const values = valuesSchemaOf(schema);
  return Object.keys(object).flatMap((name) => {
    const declared = memberOf(schema.properties, name);
    if (declared !== undefined) return validateListTypes(object[name], declared, memberPath(path, name));
    return values === undefined ? [] : validateListTypes(object[name], values, keyPath(path, name));
  });
};

const known = new WeakMap<StructuralSchema, boolean>();

const computeHasListTypes = (schema: StructuralSchema): boolean => {
  const type = schema['x-kubernetes-list-type'];
  if (type === 'set' || type === 'map') return true;
  const values = valuesSchemaOf(schema);
  const parts = [...Object.values(schema.properties ?? {}), ...(values ? [values] : [])];
  return (schema.items !== undefined && hasListTypes(schema.items)) || parts.some(hasListTypes);
};

/** Whether a schema contains a list that must have unique items. */
const hasListTypes = (schema: StructuralSchema): boolean => {
  let has = known.get(schema);
  if (has === undefined) {
    has = computeHasListTypes(schema);
    known.set(schema, has);
  }
  return has;
};

/**
 * Checks that the items of each list of type `set`, and the keys of the items of each list of type `map`, are unique.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apiserver/schema/listtype/validation.go
 */
export const validateListTypes = (value: unknown, schema: StructuralSchema, path: FieldPath = ''): FieldError[] => {
  if (!hasListTypes(schema)) return [];
  if (Array.isArray(value)) return validateItems(value, schema, path);
  return isPlainObject(value) ? validateMembers(value, schema, path) : [];
};
