import { copyJson, isPlainObject, memberOf, membersOf } from '#lib/json.ts';
import type { JsonSchema } from '../json-schema/json-schema.ts';

const fieldOf = (schema: JsonSchema | undefined, name: string): JsonSchema | undefined =>
  memberOf(schema?.properties, name) ??
  (isPlainObject(schema?.additionalProperties) ? schema.additionalProperties : undefined);

const fillObject = (schema: JsonSchema | undefined, value: Readonly<Record<string, unknown>>): unknown => {
  const result: [string, unknown][] = membersOf(value).map(([name, member]) => [
    name,
    fillDefaults(fieldOf(schema, name), member),
  ]);
  for (const [name, field] of Object.entries(schema?.properties ?? {})) {
    if (field.default !== undefined && memberOf(value, name) === undefined) {
      result.push([name, fillDefaults(field, copyJson(field.default))]);
    }
  }
  return Object.fromEntries(result);
};

/**
 * Fills in the defaults of absent fields, at every depth. Keeps nulls, and values that are not JSON.
 *
 * @see https://github.com/kubernetes/apiextensions-apiserver/blob/master/pkg/apiserver/schema/defaulting/algorithm.go
 * @param schema - the schema, as `readSchema` returns it
 * @returns a new value
 */
export const fillDefaults = (schema: JsonSchema | undefined, value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((item) => fillDefaults(schema?.items, item));
  return isPlainObject(value) ? fillObject(schema, value) : value;
};

const isUnwantedNull = (schema: JsonSchema | undefined, value: unknown): boolean =>
  value === null && schema !== undefined && schema.nullable !== true;

const replaced = (schema: JsonSchema | undefined, value: unknown): unknown =>
  isUnwantedNull(schema, value) ? copyJson(schema?.default ?? null) : replaceNulls(schema, value);

/**
 * Replaces nulls that the schema does not allow with the default of the field. Drops such a field if it has no default. A null
 * list item without a default stays.
 *
 * @see https://github.com/kubernetes/apiextensions-apiserver/blob/master/pkg/apiserver/schema/defaulting/prunenulls.go
 */
export const replaceNulls = (schema: JsonSchema | undefined, value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((item) => replaced(schema?.items, item));
  if (!isPlainObject(value)) return value;
  const members = membersOf(value).flatMap(([name, member]) => {
    const field = fieldOf(schema, name);
    const isDropped = isUnwantedNull(field, member) && field?.default === undefined;
    return isDropped ? [] : [[name, replaced(field, member)] as const];
  });
  return Object.fromEntries(members);
};
