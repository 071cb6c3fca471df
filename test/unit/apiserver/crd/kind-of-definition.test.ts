import { describe, expect, it } from 'vitest';
import { kindOfDefinition } from '#lib/apiserver/crd/kind-of-definition.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ServedKind, ServedVersion } from '#lib/apiserver/machinery/served-kind.ts';
import { StatusError } from '#lib/apiserver/machinery/status.ts';
import { definition, definitionOf, judged, podSetCrd, stored } from '#test/unit/apiserver/crd/definitions.ts';

const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: { replicas: { type: 'integer', default: 1 }, size: { type: 'integer', maximum: 5 } },
    },
    status: { type: 'object', properties: { replicas: { type: 'integer', minimum: 0 }, selector: { type: 'string' } } },
  },
};
const scale = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.selector',
};

const versionOf = ({ versions: [version] }: ServedKind): ServedVersion => {
  if (version === undefined) throw new Error('no version is served');
  return version;
};

const things = (subresources: object = { status: {} }, more: object = {}) => {
  const kind = kindOfDefinition(stored(definitionOf(schema, { subresources, ...more })));
  return { kind, version: versionOf(kind), strategy: kind.strategy };
};

const thing = (parts: object = {}, metadata: object = {}): ServerObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { name: 'x', uid: 'u', resourceVersion: '1', creationTimestamp: 't', generation: 3, ...metadata },
  ...parts,
});

const versionNamed = (name: string, served: boolean, jsonPath: string) => ({
  name,
  served,
  storage: name === 'v1',
  schema: { openAPIV3Schema: schema },
  selectableFields: [{ jsonPath }],
});

describe('kindOfDefinition()', () => {
  it('takes names, scope, versions and subresources from the definition', () => {
    const { kind } = things({ status: {}, scale });
    expect(kind).toMatchObject({ group: 'example.com', kind: 'Thing', listKind: 'ThingList', plural: 'things' });
    expect(kind).toMatchObject({ scope: 'Cluster', storageVersion: 'v1' });
    expect(kind.versions).toMatchObject([{ name: 'v1', hasStatus: true, scale }]);
  });

  it('serves the kinds that this repository compiles', () => {
    expect(judged(podSetCrd())).toEqual({ code: 201 });
    const kind = kindOfDefinition(stored(podSetCrd()));
    const pods = {
      apiVersion: 'app.example.com/v1alpha1',
      kind: 'PodSet',
      metadata: { name: 'web' },
      spec: { replicas: -1 },
    };
    const causes = kind.strategy.validateCreate(pods as unknown as ServerObject, versionOf(kind));
    expect(causes).toContainEqual({
      reason: 'FieldValueInvalid',
      field: 'spec.replicas',
      message: 'Invalid value: -1: spec.replicas in body should be greater than or equal to 0',
    });
  });

  it('describes the metadata for server-side apply', () => {
    const { version } = things();
    expect(version.schema.properties?.['metadata']?.properties?.['ownerReferences']).toMatchObject({
      'x-kubernetes-list-map-keys': ['uid'],
    });
  });

  it('serves served versions only, and selects by the fields of all', () => {
    const kind = kindOfDefinition(
      stored(
        definition({
          versions: [versionNamed('v1', true, '.spec.size'), versionNamed('v2', false, '.status.replicas')],
        }),
      ),
    );
    expect(kind.versions.map(({ name }) => name)).toEqual(['v1']);
    expect(kind.strategy.selectableFields).toEqual(['spec.size', 'status.replicas']);
  });
});

describe('the strategy of custom resources', () => {
  it('decode() prunes, and keeps metadata as metadata', () => {
    const { strategy, version } = things();
    const body = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'x', foo: 1 }, spec: { x: 1 }, y: 2 };
    expect(strategy.decode(body, version)).toEqual({
      object: { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'x' }, spec: {} },
      unknownFields: ['metadata.foo', 'spec.x', 'y'],
    });
  });

  it('decode() keeps the unknown fields of another kind, which the validation refuses', () => {
    const { strategy, version } = things();
    const body = { apiVersion: 'example.com/v1', kind: 'Other', metadata: { name: 'x' }, y: 2 };
    expect(strategy.decode(body, version)).toEqual({ object: body, unknownFields: [] });
  });

  it('decode() refuses metadata of wrong types with 400', () => {
    const { strategy, version } = things();
    const body = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { labels: { a: 1 } } };
    expect(() => strategy.decode(body, version)).toThrow(StatusError);
    expect(() => strategy.decode(body, version)).toThrow(
      'Thing in version "v1" cannot be handled as a Thing: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    );
  });

  it('setDefaults() fills in and is idempotent', () => {
    const { strategy, version } = things();
    const filled = strategy.setDefaults(thing({ spec: {} }), version);
    expect(filled['spec']).toEqual({ replicas: 1 });
    expect(strategy.setDefaults(filled, version)).toBe(filled);
  });

  it('prepareForCreate() drops the status when it has a subresource, and starts with generation 1', () => {
    const { strategy, version } = things();
    expect(strategy.prepareForCreate(thing({ spec: {}, status: {} }), version)).toEqual(
      thing({ spec: {} }, { generation: 1 }),
    );
    const plain = things({});
    expect(plain.strategy.prepareForCreate(thing({ status: {} }), plain.version)).toHaveProperty('status');
  });

  it('prepareForUpdate() keeps the status and raises the generation for all but metadata', () => {
    const { strategy, version } = things();
    const old = thing({ spec: { size: 1 }, status: { replicas: 1 } });
    const update = (next: ServerObject) => strategy.prepareForUpdate(next, old, { subresource: '', version });
    expect(update(thing({ spec: { size: 1 }, status: { replicas: 2 } }, { labels: { a: 'b' } }))).toEqual(
      thing({ spec: { size: 1 }, status: { replicas: 1 } }, { labels: { a: 'b' } }),
    );
    expect(update(thing({ spec: { size: 2 } }))).toEqual(
      thing({ spec: { size: 2 }, status: { replicas: 1 } }, { generation: 4 }),
    );
  });

  it('prepareForUpdate() counts a change of the status when it has no subresource', () => {
    const { strategy, version } = things({});
    const next = strategy.prepareForUpdate(thing({ status: { replicas: 2 } }), thing(), { subresource: '', version });
    expect(next).toEqual(thing({ status: { replicas: 2 } }, { generation: 4 }));
  });

  it('prepareForUpdate() takes nothing but status and managed fields through the subresource', () => {
    const { strategy, version } = things();
    const managedFields = [] as never;
    const next = thing({ spec: { size: 9 }, status: { replicas: 2 } }, { labels: { a: 'b' }, managedFields });
    const old = thing({ spec: { size: 1 } }, { finalizers: ['f'] });
    const written = strategy.prepareForUpdate(next, old, { subresource: 'status', version });
    expect(written).toEqual(
      thing({ spec: { size: 1 }, status: { replicas: 2 } }, { finalizers: ['f'], managedFields }),
    );
  });

  it('validateUpdate() of the status looks at the status alone', () => {
    const { strategy, version } = things({ status: {}, scale });
    const bad = thing({ spec: { size: 9 }, status: { replicas: -1 } });
    const fields = strategy.validateUpdate(bad, thing(), { subresource: 'status', version }).map(({ field }) => field);
    expect(fields).toEqual(['status.replicas', '.status.replicas']);
  });

  it('validateCreate() refuses another kind or version', () => {
    const { strategy, version } = things();
    const other = { ...thing(), kind: 'Other', apiVersion: 'example.com/v2' };
    expect(strategy.validateCreate(other, version)).toEqual([
      { reason: 'FieldValueInvalid', field: 'kind', message: 'Invalid value: "Other": must be Thing' },
      {
        reason: 'FieldValueInvalid',
        field: 'apiVersion',
        message: 'Invalid value: "example.com/v2": must be example.com/v1',
      },
    ]);
  });

  it('resetFields gives the status to its subresource', () => {
    expect(things().strategy.resetFields['']).toEqual([['status']]);
    expect(things({}).strategy.resetFields['']).toEqual([]);
    expect(things().strategy.resetFields.status).toEqual([['metadata'], ['spec']]);
  });
});
