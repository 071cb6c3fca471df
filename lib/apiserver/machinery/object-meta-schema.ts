import type { Schema } from './schema.ts';

const text: Schema = { type: 'string' };
const int64: Schema = { type: 'integer', format: 'int64' };
const flag: Schema = { type: 'boolean' };
const time: Schema = { type: 'string', format: 'date-time' };
const texts: Schema = { type: 'object', additionalProperties: text };

const managedFieldsEntry: Schema = {
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

const ownerReference: Schema = {
  type: 'object',
  required: ['apiVersion', 'kind', 'name', 'uid'],
  properties: { apiVersion: text, blockOwnerDeletion: flag, controller: flag, kind: text, name: text, uid: text },
  'x-kubernetes-map-type': 'atomic',
};

/**
 * ObjectMeta as the server's OpenAPI describes it, descriptions left out. `fieldsV1` keeps unknown fields, as it is
 * free JSON there.
 *
 * @see k8s.io/kubernetes v1.36.4 api/openapi-spec/swagger.json (`io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta`)
 */
export const objectMetaSchema: Schema = {
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
