import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { type JsonSchema, readSchema } from '../json-schema/json-schema.ts';
import type { KindShape } from '../shape.ts';
import { conditions } from './condition-schema.ts';
import { unsafe } from './scalar-schemas.ts';
import { LEAST_GENERATION, unseenStatus } from './unseen-status.ts';

const API_VERSION = 'Group and version of the schema of this object';
const KIND = 'Kind of the object, in CamelCase';

const observedGeneration = unsafe<number>({
  type: 'integer',
  format: 'int64',
  minimum: LEAST_GENERATION,
  description: 'The metadata.generation that the status was computed from',
});

const statusConditions = conditions({ description: 'Conditions of the object, one entry per type' });

/** Requires no direct field of the status: an object is created without a status, and the status is written in parts. */
const statusSchema = (status: JsonObject): JsonObject => {
  const { required: _, properties, ...rest } = status;
  const fields = isPlainObject(properties) ? properties : {};
  return {
    ...rest,
    properties: { conditions: statusConditions, observedGeneration, ...fields },
    default: unseenStatus,
  };
};

const statuses = new WeakMap<KindShape['status'], JsonSchema>();

/** The schema of the status in {@link rootSchema}. Each declared schema is read once; copies of a definition share the result. */
export const storedStatusSchema = ({ status }: Pick<KindShape, 'status'>): JsonSchema => {
  const schema = statuses.get(status) ?? readSchema(statusSchema({ ...status }));
  statuses.set(status, schema);
  return schema;
};

/** Excludes dots. The API server itself checks the other requirements of a label for every name. */
const WITHOUT_DOTS = '^[-a-z0-9]*$';

const metadataSchema = ({ name }: KindShape): JsonObject => {
  if (name === undefined) return { type: 'object' };
  const { maxLength, isLabel = false } = name;
  const pattern = isLabel ? { pattern: WITHOUT_DOTS } : {};
  return { type: 'object', properties: { name: { type: 'string', maxLength, ...pattern } } };
};

/**
 * Returns the schema of the whole resource: the fields that the kind declares, and the fields that every resource has.
 *
 * @param shape - the kind
 */
export const rootSchema = (shape: KindShape): JsonObject => ({
  type: 'object',
  description: shape.description,
  required: ['spec'],
  properties: {
    apiVersion: { type: 'string', description: API_VERSION },
    kind: { type: 'string', description: KIND },
    metadata: metadataSchema(shape),
    spec: { ...shape.spec },
    status: statusSchema({ ...shape.status }),
  },
  'x-kubernetes-validations': shape.validations,
});

const read = new WeakMap<KindShape, JsonSchema>();

/**
 * The parsed result of {@link rootSchema}. The result is cached for each kind, so that the CEL rules of the kind are compiled
 * only once.
 */
export const kindSchemaOf = (shape: KindShape): JsonSchema => {
  const schema = read.get(shape) ?? readSchema(rootSchema(shape));
  read.set(shape, schema);
  return schema;
};
