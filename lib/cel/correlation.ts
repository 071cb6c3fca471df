import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import { equalJson, isPlainObject, type JsonObject, memberOf } from '#lib/json.ts';
import { memberSchemaOf } from './subschema.ts';

const isScalar = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

const keyText = (item: unknown, keys: readonly string[]): string | undefined => {
  if (!isPlainObject(item)) return undefined;
  const values = keys.map((key) => memberOf(item, key));
  return values.every(isScalar) ? JSON.stringify(values) : undefined;
};

/** Finds the item of a list of type map that has the same keys as another item. */
export type ItemLookup = (item: unknown) => JsonObject | undefined;

const nothing: ItemLookup = () => undefined;

/**
 * Builds a lookup that finds the earlier state of an item in the list before the update. The lookup works only for lists of type
 * map; for other lists, it returns undefined.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/cel/common/maplist.go
 */
export const lookupIn = (schema: StructuralSchema, older: unknown): ItemLookup => {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (schema['x-kubernetes-list-type'] !== 'map' || keys.length === 0 || !Array.isArray(older)) return nothing;
  const byKeys = new Map<string, JsonObject>();
  for (const item of older) {
    const text = keyText(item, keys);
    if (text !== undefined && !byKeys.has(text)) byKeys.set(text, item);
  }
  return (item) => {
    const text = keyText(item, keys);
    return text === undefined ? undefined : byKeys.get(text);
  };
};

/** A value and its state before the update, with their schema. */
export interface Correlated {
  readonly value: unknown;
  readonly old: unknown;
  readonly schema: StructuralSchema;
}

/** A member with its earlier state; `undefined` if the value, its earlier state or its schema is missing. */
export const correlatedMember = (node: Correlated | undefined, name: string): Correlated | undefined => {
  if (node === undefined || !isPlainObject(node.value) || !isPlainObject(node.old)) return undefined;
  if (!Object.hasOwn(node.value, name) || !Object.hasOwn(node.old, name)) return undefined;
  const schema = memberSchemaOf(node.schema, name);
  return schema && { value: node.value[name], old: node.old[name], schema };
};

/** A list item with its earlier state; `undefined` for a new item. Only items of lists of type map have an earlier state. */
export const correlatedItem = (node: Correlated | undefined, index: number): Correlated | undefined => {
  if (node === undefined || !Array.isArray(node.value) || node.schema.items === undefined) return undefined;
  const value: unknown = node.value[index];
  const old = lookupIn(node.schema, node.old)(value);
  return old && { value, old, schema: node.schema.items };
};

const unchangedList = (node: Correlated, value: readonly unknown[], old: readonly unknown[]): boolean => {
  if (value.length !== old.length) return false;
  if (node.schema['x-kubernetes-list-type'] !== 'map') return equalJson(value, old);
  const { items } = node.schema;
  const lookup = lookupIn(node.schema, old);
  return value.every((item) => {
    const before = lookup(item);
    return before !== undefined && items !== undefined && isUnchanged({ value: item, old: before, schema: items });
  });
};

const unchangedObject = (node: Correlated, value: JsonObject, old: JsonObject): boolean => {
  const names = Object.keys(value);
  return names.length === Object.keys(old).length && names.every((name) => isUnchanged(correlatedMember(node, name)));
};

/**
 * Whether a value equals its earlier state. The order of a list of type map does not matter. A value without an earlier state
 * counts as changed, and so does an object with undeclared members.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/cel/common/equality.go (`CachedDeepEqual`)
 */
export const isUnchanged = (node: Correlated | undefined): boolean => {
  if (node === undefined) return false;
  const { value, old } = node;
  if (Array.isArray(value) && Array.isArray(old)) return unchangedList(node, value, old);
  if (isPlainObject(value) && isPlainObject(old)) return unchangedObject(node, value, old);
  return value === old;
};
