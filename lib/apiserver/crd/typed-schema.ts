import { objectMetaSchema } from '#lib/apiserver/machinery/object-meta-schema.ts';
import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';

const text: StructuralSchema = { type: 'string' };

/** Members that every resource has in addition to the members of its schema. */
const typeAndObjectMeta = { apiVersion: text, kind: text, metadata: objectMetaSchema };

const addToValues = (schema: StructuralSchema): Pick<StructuralSchema, 'additionalProperties'> =>
  typeof schema.additionalProperties === 'object' ? { additionalProperties: addTo(schema.additionalProperties) } : {};

const isResource = (schema: StructuralSchema): boolean => schema['x-kubernetes-embedded-resource'] === true;

const propertiesOf = (schema: StructuralSchema, resource: boolean): Pick<StructuralSchema, 'properties'> => {
  if (schema.properties === undefined && !resource) return {};
  const declared = Object.entries(schema.properties ?? {}).map(([name, property]) => [name, addTo(property)] as const);
  return { properties: { ...Object.fromEntries(declared), ...(resource && typeAndObjectMeta) } };
};

const addTo = (schema: StructuralSchema, resource = isResource(schema)): StructuralSchema => ({
  ...schema,
  ...propertiesOf(schema, resource),
  ...(schema.items && { items: addTo(schema.items) }),
  ...addToValues(schema),
});

/**
 * Adds apiVersion, kind and metadata to the schema of a custom resource and of its embedded resources, for server-side apply.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/controller/openapi/builder/builder.go
 */
export const typedSchema = (schema: StructuralSchema): StructuralSchema => addTo(schema, true);
