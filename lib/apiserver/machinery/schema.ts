import type { JsonSchema } from '#lib/kind/json-schema.ts';
import type { Validation } from '#lib/kind/schema-options.ts';

/** A CEL rule of a schema. */
export type ValidationRule = Validation;

/**
 * A structural schema: what a CustomResourceDefinition says of a version, and, for built-in kinds, what the server's
 * OpenAPI says of them, references resolved. One form for both, so that pruning, validation, defaulting and
 * server-side apply read the same tree.
 */
export type Schema = JsonSchema;
