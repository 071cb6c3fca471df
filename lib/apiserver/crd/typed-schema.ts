import { objectMetaSchema } from '#lib/apiserver/machinery/object-meta-schema.ts';
import type { Schema } from '#lib/apiserver/machinery/schema.ts';

const text: Schema = { type: 'string' };

/** What every resource has besides what its schema declares. */
const typeAndObjectMeta = { apiVersion: text, kind: text, metadata: objectMetaSchema };

const addToValues = (schema: Schema): Pick<Schema, 'additionalProperties'> =>
  typeof schema.additionalProperties === 'object' ? { additionalProperties: addTo(schema.additionalProperties) } : {};

const isResource = (schema: Schema): boolean => schema['x-kubernetes-embedded-resource'] === true;

const propertiesOf = (schema: Schema, resource: boolean): Pick<Schema, 'properties'> => {
  if (schema.properties === undefined && !resource) return {};
  const declared = Object.entries(schema.properties ?? {}).map(([name, property]) => [name, addTo(property)] as const);
  return { properties: { ...Object.fromEntries(declared), ...(resource && typeAndObjectMeta) } };
};

const addTo = (schema: Schema, resource = isResource(schema)): Schema => ({
  ...schema,
  ...propertiesOf(schema, resource),
  ...(schema.items && { items: addTo(schema.items) }),
  ...addToValues(schema),
});

/**
 * The schema of a custom resource with the types of apiVersion, kind and metadata, as server-side apply reads it.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/controller/openapi/builder/builder.go
 */
export const typedSchema = (schema: Schema): Schema => addTo(schema, true);
