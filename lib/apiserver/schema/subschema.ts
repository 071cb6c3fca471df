import { memberOf } from '#lib/json.ts';
import type { Schema } from '#lib/apiserver/machinery/schema.ts';

/** The schema of the values of a map; `undefined` when there is none, or only `true`. */
export const valuesSchemaOf = (schema: Schema | undefined): Schema | undefined =>
  typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined;

/** The schema of a member: declared by name, or as the value of a map. */
export const memberSchemaOf = (schema: Schema | undefined, name: string): Schema | undefined =>
  memberOf(schema?.properties, name) ?? valuesSchemaOf(schema);

/** `apiVersion`, `kind` and `metadata`: known of every resource without being declared. */
export const isMetaField = (name: string): boolean => name === 'apiVersion' || name === 'kind' || name === 'metadata';

/** Sets a member of an object under construction; `__proto__` is a name like any other. */
export const setOwn = (object: Record<string, unknown>, name: string, value: unknown): void => {
  if (name === '__proto__') {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  } else object[name] = value;
};
