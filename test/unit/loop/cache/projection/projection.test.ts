import { describe, expect, it } from 'vitest';
import { deepFreeze } from '#lib/desired/canonical/freeze.ts';
import { Pod, reading } from '#lib/kind/handles/reference.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { projectionOf, projectResource } from '#lib/loop/cache/projection/projection.ts';

const metadata = {
  name: 'web-1',
  namespace: 'default',
  uid: 'uid-1',
  resourceVersion: '7',
  labels: { app: 'web' },
};

const managedFields = [
  { manager: 'kubelet', operation: 'Update', time: '2026-11-21T09:00:00Z', fieldsV1: { 'f:status': {} } },
];

const livePod = (): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { ...metadata, managedFields } as ApiObject['metadata'],
  spec: { nodeName: 'node-1', containers: [{ name: 'c', image: 'busybox', env: [{ name: 'SECRET', value: 'x' }] }] },
  status: { phase: 'Running', podIP: '10.0.0.1', conditions: [{ type: 'Ready', status: 'True' }] },
});

describe('projectionOf()', () => {
  it('projectionOf() keeps metadata and the named fields, nothing else', () => {
    expect(projectionOf(['status.phase', 'status.conditions'])(livePod())).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata,
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    });
  });

  it('projectionOf() keeps everything but managedFields when no fields are named', () => {
    const { metadata: _, ...rest } = livePod();
    expect(projectionOf(undefined)(livePod())).toEqual({ ...rest, metadata });
  });

  it.each([
    { fields: [], kept: {}, reason: 'no field is named: metadata is enough' },
    { fields: ['spec.nodeName'], kept: { spec: { nodeName: 'node-1' } }, reason: 'a leaf is named' },
    { fields: ['status.hostIP', 'data'], kept: { status: {} }, reason: 'fields are absent from the object' },
    { fields: ['spec.nodeName.deeper'], kept: { spec: { nodeName: 'node-1' } }, reason: 'a path goes beyond a leaf' },
    {
      fields: ['status.phase', 'status'],
      kept: { status: livePod()['status'] },
      reason: 'a path is above another',
    },
  ])('projectionOf() keeps $kept when $reason', ({ fields, kept }) => {
    expect(projectionOf(fields)(livePod())).toEqual({ apiVersion: 'v1', kind: 'Pod', metadata, ...kept });
  });

  it('projectionOf() keeps nothing that only every object has', () => {
    const projected = projectionOf(['toString', 'spec.valueOf'])(livePod());
    expect(Object.keys(projected).toSorted()).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
  });

  it('projectionOf() never shows an absent field as present but undefined', () => {
    const projected = projectionOf(['status.hostIP'])({ apiVersion: 'v1', kind: 'Pod', metadata });
    expect(projected).toStrictEqual({ apiVersion: 'v1', kind: 'Pod', metadata });
  });

  it('projectionOf() gives frozen objects, all the way down', () => {
    const projected = projectionOf(undefined)(livePod()) as unknown as { spec: { containers: unknown[] } };
    expect(() => projected.spec.containers.push({})).toThrow(TypeError);
    expect(() => Object.assign(projected, { spec: {} })).toThrow(TypeError);
  });

  it('projectionOf() leaves its input alone when the input is frozen', () => {
    const fields = reading(Pod, ['status.containerStatuses']).fields ?? [];
    const input = deepFreeze(livePod());
    expect(() => projectionOf(fields)(input)).not.toThrow();
    expect(input).toEqual(livePod());
  });

  it('projectionOf() leaves its input alone when a path stands before another below it', () => {
    const input = deepFreeze(livePod());
    expect(projectionOf(['status', 'status.phase'])(input)).toMatchObject({ status: { phase: 'Running' } });
  });
});

const annotated = (fields: object[]): ApiObject => ({
  apiVersion: 'app.example.com/v1alpha1',
  kind: 'PodSet',
  metadata: { ...metadata, managedFields: fields } as ApiObject['metadata'],
  spec: { replicas: 3 },
});

const writtenBy = (manager: string, time: string | undefined, ...annotations: string[]) => ({
  manager,
  operation: 'Update',
  ...(time === undefined ? {} : { time }),
  fieldsV1: {
    'f:metadata': { 'f:annotations': { '.': {}, ...Object.fromEntries(annotations.map((name) => [`f:${name}`, {}])) } },
  },
});

const managersOf = (fields: object[]): unknown =>
  (projectResource(annotated(fields)).metadata as { annotationManagers?: unknown }).annotationManagers;

describe('projectResource()', () => {
  it('projectResource() completes the metadata that functions rely on', () => {
    const { labels: _, ...bare } = metadata;
    const object = { apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet', metadata: bare, spec: { replicas: 3 } };
    expect(projectResource(object)).toEqual({
      ...object,
      metadata: { ...bare, labels: {}, annotations: {}, annotationManagers: {} },
    });
  });

  it('projectResource() drops managedFields and freezes what remains', () => {
    const projected = projectResource(annotated(managedFields));
    expect(projected.metadata).not.toHaveProperty('managedFields');
    expect(() => Object.assign((projected as unknown as { spec: object }).spec, { replicas: 4 })).toThrow(TypeError);
  });

  it.each([
    { fields: [], managers: {}, reason: 'an annotation has no owner' },
    { fields: managedFields, managers: {}, reason: 'an entry is about other fields' },
    {
      fields: [writtenBy('kubectl-annotate', '2026-11-21T09:00:00Z', 'app.example.com/promote')],
      managers: { 'app.example.com/promote': 'kubectl-annotate' },
      reason: 'one manager wrote one',
    },
    {
      fields: [
        writtenBy('argocd', '2026-11-21T09:30:00Z', 'a', 'b'),
        writtenBy('kubectl-annotate', '2026-11-21T09:00:00Z', 'a', 'c'),
      ],
      managers: { a: 'argocd', b: 'argocd', c: 'kubectl-annotate' },
      reason: 'of two the later one counts, wherever it stands',
    },
    {
      fields: [writtenBy('timed', '2026-11-21T09:30:00Z', 'a'), writtenBy('timeless', undefined, 'a')],
      managers: { a: 'timed' },
      reason: 'an entry without time counts as old',
    },
  ])('projectResource() finds $managers when $reason', ({ fields, managers }) => {
    expect(managersOf(fields)).toEqual(managers);
  });
});
