import type { JsonSchema } from '#lib/kind/json-schema/json-schema.ts';
import type { Validation } from '#lib/kind/json-schema/schema-options.ts';

/** A CEL rule of a schema. */
export type ValidationRule = Validation;

/**
 * A structural schema: a version's schema in a CustomResourceDefinition, or, for a built-in kind, its definition in the server's
 * OpenAPI with references resolved. One form serves both, so that pruning, validation, defaulting and
 * server-side apply read the same tree.
 */
export type StructuralSchema = JsonSchema;
