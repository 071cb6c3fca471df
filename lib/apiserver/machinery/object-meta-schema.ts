import type { StructuralSchema } from './schema.ts';

const text: StructuralSchema = { type: 'string' };
const int64: StructuralSchema = { type: 'integer', format: 'int64' };
const flag: StructuralSchema = { type: 'boolean' };
const time: StructuralSchema = { type: 'string', format: 'date-time' };
const texts: StructuralSchema = { type: 'object', additionalProperties: text };

const managedFieldsEntry: StructuralSchema = {
  type: 'object',
  properties: {
    apiVersion: text,
    fieldsType: text,
    fieldsV1: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    manager: text,
    operation: text,
    subresource: text,
    time,
  },
};

const ownerReference: StructuralSchema = {
  type: 'object',
  required: ['apiVersion', 'kind', 'name', 'uid'],
  properties: { apiVersion: text, blockOwnerDeletion: flag, controller: flag, kind: text, name: text, uid: text },
  'x-kubernetes-map-type': 'atomic',
};

/**
 * The schema of ObjectMeta in the OpenAPI document of the real server, without descriptions. `fieldsV1` is arbitrary JSON, and
 * keeps unknown fields.
 *
 * @see k8s.io/kubernetes v1.36.4 api/openapi-spec/swagger.json (`io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta`)
 */
export const objectMetaSchema: StructuralSchema = {
  type: 'object',
  properties: {
    annotations: texts,
    creationTimestamp: time,
    deletionGracePeriodSeconds: int64,
    deletionTimestamp: time,
    finalizers: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    generateName: text,
    generation: int64,
    labels: texts,
    managedFields: { type: 'array', items: managedFieldsEntry, 'x-kubernetes-list-type': 'atomic' },
    name: text,
    namespace: text,
    ownerReferences: {
      type: 'array',
      items: ownerReference,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
    },
    resourceVersion: text,
    selfLink: text,
    uid: text,
  },
};
