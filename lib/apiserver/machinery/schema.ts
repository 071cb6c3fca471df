import type { JsonSchema } from '#lib/kind/json-schema/json-schema.ts';
import type { Validation } from '#lib/kind/json-schema/schema-options.ts';

/** A CEL rule of a schema. */
export type ValidationRule = Validation;

/**
 * A structural schema: the schema of a version in a CustomResourceDefinition, or a definition in the OpenAPI document of the
 * real server. References are resolved.
 */
export type StructuralSchema = JsonSchema;
