import type { JsonSchema } from '#lib/kind/json-schema/json-schema.ts';
import type { Validation } from '#lib/kind/json-schema/schema-options.ts';

/** A CEL rule of a schema. */
export type ValidationRule = Validation;

/**
 * A structural schema: the schema of a version in a CustomResourceDefinition, or the definition of a built-in kind in the
 * OpenAPI document of the real server, with resolved references.
 */
export type StructuralSchema = JsonSchema;
