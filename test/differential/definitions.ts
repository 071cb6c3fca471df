import type { Json, JsonObject } from '#lib/json.ts';

/** The API group of the kinds that this suite defines. */
export const group = 'diff.example.com';

const text = { type: 'string' } as const;
const integer = { type: 'integer' } as const;

const port = {
  type: 'object',
  required: ['number'],
  properties: {
    name: text,
    number: { ...integer, minimum: 1, maximum: 65_535 },
    protocol: { ...text, default: 'TCP', enum: ['TCP', 'UDP'] },
    options: { type: 'object', additionalProperties: text },
  },
};

const condition = {
  type: 'object',
  required: ['type', 'status'],
  properties: { type: text, status: { ...text, enum: ['True', 'False', 'Unknown'] }, reason: text },
};

const spec = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { ...integer, minimum: 0, maximum: 50 },
    color: { ...text, enum: ['red', 'green', 'blue'], default: 'red' },
    title: { ...text, maxLength: 12, pattern: '^[a-z ]*$' },
    replicas: { ...integer, format: 'int32', default: 1, minimum: 0 },
    paused: { type: 'boolean' },
    ratio: { type: 'number' },
    nothing: { ...text, nullable: true },
    target: { 'x-kubernetes-int-or-string': true },
    tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: text, maxItems: 4 },
    args: { type: 'array', items: text },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['number', 'protocol'],
      items: port,
    },
    limits: { type: 'object', additionalProperties: integer, maxProperties: 3 },
    choices: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: text },
    place: {
      type: 'object',
      'x-kubernetes-map-type': 'atomic',
      properties: { zone: text, rack: integer },
    },
    extra: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { known: text } },
    nested: {
      type: 'object',
      default: {},
      properties: {
        depth: { ...integer, default: 5 },
        inner: { type: 'object', properties: { a: text, b: text } },
      },
    },
    fixed: { ...text, 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'is fixed' }] },
  },
  'x-kubernetes-validations': [
    { rule: '!has(self.paused) || !self.paused || self.replicas == 0', message: 'paused needs 0 replicas' },
    {
      rule: 'self.size >= oldSelf.size - 10',
      messageExpression: `'size must not fall ' + (self.size == 0 ? 'to nothing' : 'so much')`,
      fieldPath: '.size',
      reason: 'FieldValueForbidden',
    },
  ],
};

const status = {
  type: 'object',
  properties: {
    replicas: integer,
    selector: text,
    phase: { ...text, enum: ['Pending', 'Ready'] },
    observedGeneration: { ...integer, format: 'int64' },
    conditions: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      items: condition,
    },
  },
};

const openAPIV3Schema = { type: 'object', required: ['spec'], properties: { spec, status } };

const scale = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.selector',
};

const widgetVersion = (name: string, storage: boolean): JsonObject => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema },
  subresources: { status: {}, scale },
  selectableFields: [{ jsonPath: '.spec.color' }],
});

const definition = (kind: string, scope: 'Namespaced' | 'Cluster', versions: readonly JsonObject[]): JsonObject => {
  const singular = kind.toLowerCase();
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.${group}` },
    spec: {
      group,
      scope,
      names: { kind, listKind: `${kind}List`, plural: `${singular}s`, singular },
      versions: versions as unknown as Json,
    },
  };
};

const gadgetSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: { mode: { ...text, default: 'idle' }, steps: { type: 'array', items: text } },
    },
  },
};

/** A namespaced kind with two versions and every schema feature; a cluster-scoped kind without a status subresource. */
export const definitions: readonly JsonObject[] = [
  definition('Widget', 'Namespaced', [widgetVersion('v1', true), widgetVersion('v1beta1', false)]),
  definition('Gadget', 'Cluster', [
    { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: gadgetSchema } },
  ]),
];
