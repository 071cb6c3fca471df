import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import { memberOf } from '#lib/json.ts';

/** The schema of a map's values; `undefined` when `additionalProperties` is absent or a boolean. */
export const valuesSchemaOf = (schema: StructuralSchema | undefined): StructuralSchema | undefined =>
  typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined;

/** The schema of a member: the declared property of this name, or else the schema of the map's values. */
export const memberSchemaOf = (schema: StructuralSchema | undefined, name: string): StructuralSchema | undefined =>
  memberOf(schema?.properties, name) ?? valuesSchemaOf(schema);

/**
 * Whether a name is `apiVersion`, `kind` or `metadata`. Every object has these members, even if its schema does not declare them.
 */
export const isMetaField = (name: string): boolean => name === 'apiVersion' || name === 'kind' || name === 'metadata';
