import type { KindRef } from '#lib/kind/handles/reference.ts';

/** A custom resource with lists of every type, and with defaults. */
export const Widget: KindRef = {
  apiVersion: 'pinning.example.com/v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
};

const text = { type: 'string' };
const texts = { type: 'object', additionalProperties: text };

const part = {
  type: 'object',
  required: ['name'],
  properties: {
    name: text,
    size: { type: 'integer', default: 1 },
    note: text,
    tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
  },
};

const spec = {
  type: 'object',
  properties: {
    size: { type: 'integer', default: 3 },
    mode: { type: 'string', default: 'auto' },
    flag: { type: 'boolean' },
    tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    parts: { type: 'array', items: part, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
    steps: {
      type: 'array',
      items: { type: 'object', properties: { at: text, size: { type: 'integer', default: 1 } } },
    },
    words: { type: 'array', items: text },
    limits: texts,
    fixed: { ...texts, 'x-kubernetes-map-type': 'atomic' },
    open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
};

/** The CRD of {@link Widget}, for a server to install. */
export const widgetsCrd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.pinning.example.com' },
  spec: {
    group: 'pinning.example.com',
    names: { kind: Widget.kind, plural: Widget.plural, singular: 'widget' },
    scope: Widget.scope,
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec, status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        },
      },
    ],
  },
};
