import type { JsonSchema } from '#lib/kind/json-schema/json-schema.ts';
import type { Validation } from '#lib/kind/json-schema/schema-options.ts';

/** A CEL rule of a schema. */
export type ValidationRule = Validation;

/**
 * A structural schema. For a custom resource, it is the schema of a version in the CustomResourceDefinition. For a built-in
 * kind, it is the definition in the OpenAPI document of the real server, with references resolved. Pruning, validation,
 * defaulting and server-side apply use the same form of schema for both.
 */
export type StructuralSchema = JsonSchema;
