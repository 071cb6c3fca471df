import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { definitions } from '#test/differential/definitions.ts';
import type { KindUnderTest } from './kind-under-test.ts';

const group = 'dry.example.com';

const string = { type: 'string' };

interface Version {
  readonly name?: string;
  readonly served?: boolean;
  readonly storage?: boolean;
  readonly more?: JsonObject;
}

const version = (
  properties: object,
  { name = 'v1', served = true, storage = true, more = {} }: Version = {},
): object => ({
  name,
  served,
  storage,
  schema: { openAPIV3Schema: { type: 'object', properties } },
  ...more,
});

const spec = (members: object): JsonObject => ({ spec: members });

const names = { plural: 'things', kind: 'Thing' };

/** One property of `spec` in the schema of the only version. */
const property = (schema: object): JsonObject =>
  spec({ versions: [version({ spec: { type: 'object', properties: { x: schema } } })] });

const rule = (expression: string, more: object = {}): object => ({ rule: expression, ...more });

/** A rule about every pair in a list without bounds. */
const costly = (expression: string): JsonObject => ({
  type: 'array',
  items: string,
  'x-kubernetes-validations': [rule(expression)],
});

const widgetVersions = isPlainObject(definitions[0]?.['spec']) ? definitions[0]['spec']['versions'] : [];

/** CRDs, in dry runs only: a stored CRD would change the server for all sequences. */
export const customResourceDefinitions: KindUnderTest = {
  resource: { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' },
  kind: 'CustomResourceDefinition',
  namespaced: false,
  weight: 1.5,
  isOnlyTried: true,
  fixedName: `things.${group}`,
  base: { spec: { group, scope: 'Namespaced', names, versions: [version({ spec: { type: 'object' } })] } },
  variants: [
    spec({ scope: 'Cluster' }),
    spec({ names: { singular: 'thing', listKind: 'Things', shortNames: ['th'], categories: ['all'] } }),
    spec({ versions: widgetVersions }),
    spec({ versions: [version({}), version({}, { name: 'v1beta1', storage: false })] }),
    spec({ versions: [version({}, { more: { subresources: { status: {} } } })] }),
    spec({
      versions: [
        version(
          {},
          {
            more: {
              additionalPrinterColumns: [{ name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }],
            },
          },
        ),
      ],
    }),
    spec({ preserveUnknownFields: false }),
    spec({ conversion: { strategy: 'None' } }),
    property({ type: 'integer', default: 3, minimum: 1 }),
    property({ type: 'array', items: string, 'x-kubernetes-list-type': 'set' }),
    property({ ...string, maxLength: 5, 'x-kubernetes-validations': [rule("self != 'no'")] }),
    property({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }),
    property({ 'x-kubernetes-int-or-string': true }),
    property({
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
      type: 'object',
      properties: { a: string, b: string },
    }),
  ],
  faults: [
    spec({ scope: 'Galactic' }),
    spec({ scope: null }),
    spec({ group: 'other.example.com' }),
    spec({ names: { plural: 'others' } }),
    spec({ names: { plural: 'Things' } }),
    spec({ names: { kind: 'not a kind' } }),
    spec({ names: { kind: null } }),
    spec({ names: { shortNames: ['Bad Name'] } }),
    spec({ versions: [] }),
    spec({ versions: [version({}, { storage: false })] }),
    spec({ versions: [version({}), version({}, { name: 'v2' })] }),
    spec({ versions: [version({}), version({}, { storage: false })] }),
    spec({ versions: [version({}, { name: 'Version One' })] }),
    spec({ versions: [{ name: 'v1', served: true, storage: true }] }),
    spec({ versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: {} } }] }),
    spec({ versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'string' } } }] }),
    spec({ versions: [version({}, { more: { subresources: { scale: { specReplicasPath: 'spec.replicas' } } } })] }),
    spec({ versions: [version({}, { more: { selectableFields: [{ jsonPath: '.spec.missing' }] } })] }),
    spec({ versions: [version({ metadata: { type: 'object', properties: { labels: { type: 'object' } } } })] }),
    spec({ preserveUnknownFields: true }),
    spec({ conversion: { strategy: 'Webhook' } }),
    property({}),
    property({ type: 'text' }),
    property({ type: 'array' }),
    property({ type: 'integer', default: 'three' }),
    property({ ...string, pattern: '(' }),
    property({ ...string, enum: [] }),
    property({ ...string, unknown: 1 }),
    property({ type: 'array', items: string, uniqueItems: true }),
    property({ type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'map' }),
    property({
      type: 'array',
      items: { type: 'object' },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
    }),
    property({ type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'set' }),
    property({ type: 'object', properties: { a: string }, additionalProperties: string }),
    property({ type: 'object', 'x-kubernetes-map-type': 'odd' }),
    property({ type: 'object', anyOf: [{ properties: { a: { type: 'string' } } }] }),
    property({ ...string, 'x-kubernetes-validations': [rule('self ==')] }),
    property({ ...string, 'x-kubernetes-validations': [rule('self + 1 > 0')] }),
    property({ ...string, 'x-kubernetes-validations': [rule('size(self)')] }),
    property({ ...string, 'x-kubernetes-validations': [rule('true', { reason: 'Other' })] }),
    property({ ...string, 'x-kubernetes-validations': [rule('')] }),
    property(costly('self.all(a, self.all(b, a == b))')),
    property(costly('self.exists(a, self.exists(b, a != b))')),
    property(costly('!self.all(a, self.all(b, a == b))')),
    property({ type: 'object', $ref: '#/elsewhere' }),
  ],
};
