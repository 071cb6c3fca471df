import type { Issue } from '#lib/errors.ts';
import { type JsonSchema, readSchema } from '../json-schema/json-schema.ts';
import type { AnySchema } from '../json-schema/schema-types.ts';
import { checkValue } from '../value/check.ts';

const schemas = new WeakMap<AnySchema, JsonSchema>();

/** The schema of the status. As in the CRD, no direct field is required, and all other keywords apply. */
const statusSchemaOf = (status: AnySchema): JsonSchema => {
  const known = schemas.get(status);
  if (known) return known;
  const { required: _required, ...schema } = readSchema({ ...status });
  schemas.set(status, schema);
  return schema;
};

/**
 * Checks a status that a desired-state function returned. The API server would refuse every write of an invalid status.
 *
 * @param shape - the kind
 * @param status - the status without conditions and `observedGeneration`, which the library adds
 * @returns every issue with its path, such as `status.podNames[3]`
 */
export const validateStatus = (shape: { readonly status: AnySchema }, status: unknown): Issue[] =>
  checkValue(statusSchemaOf(shape.status), status, { path: 'status' });
