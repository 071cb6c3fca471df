import * as fc from 'fast-check';
import type { Json, JsonObject } from '#lib/json.ts';
import { allKinds } from '#test/differential/kinds/all.ts';
import { mutated } from './mutated-json.ts';
import { oddJson, oddTexts, usually } from './odd-json.ts';
import { type FuzzedKind, objectsOf } from './served-objects.ts';

export const JSON_PATCH = 'application/json-patch+json';
export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

const identity = { metadata: { name: 'a', labels: { app: 'a' } } };

/** Valid bodies of a kind, if the differential tests have one. */
const basesOf = ({ kind, group, versions }: FuzzedKind): readonly Json[] =>
  allKinds
    .filter(({ resource, kind: name }) => name === kind && resource.group === group)
    .flatMap(({ base, variants }) =>
      [{}, ...variants].map(
        (variant) =>
          ({
            apiVersion: group === '' ? versions[0]?.name : `${group}/${versions[0]?.name}`,
            kind,
            ...identity,
            ...base,
            ...variant,
          }) as Json,
      ),
    );

const metadata = mutated({
  name: 'a',
  generateName: 'a-',
  namespace: 'default',
  labels: { app: 'a' },
  annotations: { 'kubelet.sim/ready-after-ms': '5', b: 'c' },
  finalizers: ['example.com/a'],
  ownerReferences: [
    { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'u', controller: true, blockOwnerDeletion: true },
  ],
  managedFields: [
    {
      manager: 'm',
      operation: 'Apply',
      apiVersion: 'v1',
      time: '2026-01-01T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { '.': {}, 'k:{"a":1}': {}, 'v:1': {} } },
    },
  ],
  resourceVersion: '1',
  deletionTimestamp: '2026-01-01T00:00:00Z',
}).map((value) => value as JsonObject);

const someMetadata = usually(
  4,
  fc.constantFrom<JsonObject>({ name: 'a' }, { name: 'b', labels: { app: 'a' } }, { generateName: 'a-' }),
  metadata,
);

const wholeObjects = (kind: FuzzedKind): fc.Arbitrary<Json> => {
  const bases = basesOf(kind);
  const generated = fc
    .tuple(objectsOf(kind), someMetadata)
    .map(([object, meta]) => ({ ...object, metadata: meta }) as Json);
  return bases.length === 0 ? generated : usually(3, fc.constantFrom(...bases).chain(mutated), generated);
};

const pointers = fc.constantFrom(
  '',
  '/',
  '/metadata',
  '/metadata/labels',
  '/metadata/labels/app',
  '/spec',
  '/spec/a',
  '/spec/replicas',
  '/data/a',
  '/metadata/finalizers/-',
  '/metadata/finalizers/0',
  '/a~1b/~0',
  '/__proto__/x',
  '/-1',
  'x',
);
const operation = fc.record(
  {
    op: usually(9, fc.constantFrom('add', 'remove', 'replace', 'test', 'move', 'copy'), oddTexts),
    path: pointers,
    from: pointers,
    value: oddJson,
  },
  { requiredKeys: ['op'] },
);
const jsonPatches = usually(9, fc.array(operation, { maxLength: 4 }) as fc.Arbitrary<Json>, oddJson);

const texts = (value: Json): string => JSON.stringify(value);

/** ConfigMaps with values that JSON does not have. */
const oddYaml = [
  '!!binary aGk=',
  '!!set {a, b}',
  '!!omap [a: 1]',
  '!!timestamp 2001-12-14',
  '.nan',
  '-.inf',
  '!x y',
  '<<: {a: b}',
].map((value) => `%YAML 1.1\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: ${value}}\n`);

const brokenTexts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '{',
    '[',
    '{"a":}',
    'a: &a [*a]',
    'a: &a {b: *a}',
    '!!js/function x',
    '%YAML 9\n---\n',
    ...oddYaml,
    '---\n---\n',
    '\ufeff{}',
    '{"kind":"Pod","kind":1}',
    '['.repeat(20_000),
    '{"a":'.repeat(20_000),
    `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
    `${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}`,
  ),
);

/** Bodies of a request: a valid object or patch with mistakes, another JSON value, or a text that is no JSON. */
export const bodiesOf = (kind: FuzzedKind, method: string, type: string): fc.Arbitrary<string | Uint8Array> => {
  if (type === PROTOBUF) {
    const head = Buffer.from('k8s\0');
    return fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.concat([head, bytes]));
  }
  const value =
    method === 'DELETE'
      ? usually(
          3,
          fc
            .constant<Json>({
              kind: 'DeleteOptions',
              apiVersion: 'v1',
              gracePeriodSeconds: 0,
              propagationPolicy: 'Foreground',
              preconditions: { uid: 'a', resourceVersion: '1' },
            })
            .chain(mutated),
          oddJson,
        )
      : usually(15, type === JSON_PATCH ? jsonPatches : wholeObjects(kind), oddJson);
  return usually(12, value.map(texts), brokenTexts);
};
