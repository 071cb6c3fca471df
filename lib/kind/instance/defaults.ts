import { readSchema } from '../json-schema/json-schema.ts';
import type { AnySchema } from '../json-schema/schema-types.ts';
import { fillDefaults, replaceNulls } from '../value/defaults.ts';

/**
 * Fills in defaults as the API server does on every write and read. Absent fields get their default, at every depth. A field
 * with a null that the schema does not allow counts as absent.
 *
 * @param schema - any structural schema
 * @param value - a JSON value, which stays unchanged
 * @returns a new value
 * @example
 * applyDefaults(s.object({ replicas: s.int32({ default: 1 }) }), {}); // { replicas: 1 }
 */
export const applyDefaults = (schema: AnySchema, value: unknown): unknown => {
  const structural = readSchema({ ...schema });
  return fillDefaults(structural, replaceNulls(structural, value));
};
