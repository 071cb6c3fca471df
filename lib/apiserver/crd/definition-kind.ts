import { objectMetaSchema } from '#lib/apiserver/machinery/object-meta-schema.ts';
import { resources } from '#lib/apiserver/machinery/resources.ts';
import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import type { ServedKind } from '#lib/apiserver/machinery/served-kind.ts';
import { definitionStrategy } from './definition-strategy.ts';

const text: StructuralSchema = { type: 'string' };

const atomicList = (items: StructuralSchema): StructuralSchema => ({
  type: 'array',
  items,
  'x-kubernetes-list-type': 'atomic',
});

const free: StructuralSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

const names: StructuralSchema = {
  type: 'object',
  properties: {
    categories: atomicList(text),
    kind: text,
    listKind: text,
    plural: text,
    shortNames: atomicList(text),
    singular: text,
  },
};

const condition: StructuralSchema = {
  type: 'object',
  properties: { lastTransitionTime: text, message: text, reason: text, status: text, type: text },
};

/**
 * The schema of the spec, for managed fields. A field manager owns the list of versions as a whole, so the schema has no fields
 * of versions.
 */
const spec: StructuralSchema = {
  type: 'object',
  properties: {
    conversion: {
      type: 'object',
      properties: {
        strategy: text,
        webhook: {
          type: 'object',
          properties: { clientConfig: free, conversionReviewVersions: atomicList(text) },
        },
      },
    },
    group: text,
    names,
    preserveUnknownFields: { type: 'boolean' },
    scope: text,
    versions: atomicList(free),
  },
};

const status: StructuralSchema = {
  type: 'object',
  properties: {
    acceptedNames: names,
    conditions: {
      type: 'array',
      items: condition,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    },
    storedVersions: atomicList(text),
  },
};

/**
 * The schema of CustomResourceDefinition.
 *
 * @see k8s.io/kubernetes v1.36.4 api/openapi-spec/swagger.json
 * (`io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition`)
 */
const schema: StructuralSchema = {
  type: 'object',
  properties: { apiVersion: text, kind: text, metadata: objectMetaSchema, spec, status },
};

/** The kind CustomResourceDefinition itself. */
export const definitionKind: ServedKind = {
  group: resources.definitions.group,
  kind: 'CustomResourceDefinition',
  listKind: 'CustomResourceDefinitionList',
  plural: resources.definitions.plural,
  scope: 'Cluster',
  versions: [{ name: 'v1', schema, hasStatus: true }],
  storageVersion: 'v1',
  strategy: definitionStrategy,
};
