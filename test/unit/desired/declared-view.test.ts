import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { declaredView } from '#lib/desired/observe/declared-view.ts';
import { observationOf } from '#lib/desired/observe/observation-of.ts';
import { UndeclaredReadError } from '#lib/errors.ts';
import { ConfigMap, Pod, reading } from '#lib/kind/handles/reference.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', labels: { app: 'x' } },
  spec: { nodeName: 'n1', containers: [{ name: 'main' }] },
  status: { phase: 'Running', podIP: '10.0.0.1', conditions: [{ type: 'Ready' }] },
};

const kept = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: pod.metadata,
  status: { phase: 'Running', conditions: [{ type: 'Ready' }] },
};

describe('declaredView()', () => {
  it('declaredView() shows metadata and what is declared', () => {
    const view = declaredView(Pod, pod) as typeof pod;
    expect([view.metadata.name, view.status.phase, view.status.conditions[0]?.type]).toEqual(['a', 'Running', 'Ready']);
    expect(declaredView(ConfigMap, pod)).toBe(pod);
  });

  it.each([
    { path: 'spec', look: (it_: typeof pod) => it_.spec },
    { path: 'status.podIP', look: (it_: typeof pod) => it_.status.podIP },
    { path: 'data', look: (it_: typeof pod) => (it_ as unknown as { data: unknown }).data },
  ])('declaredView() throws, and says how to declare it, when code reads $path', ({ path, look }) => {
    const view = declaredView(Pod, pod) as typeof pod;
    expect(() => look(view)).toThrow(UndeclaredReadError);
    expect(() => look(view)).toThrow(
      `${path}: is not declared: the cache of the loop keeps metadata, status.phase, status.conditions of a Pod`,
    );
    expect(() => look(view)).toThrow(`reading(Pod, ['${path}'])`);
  });

  it('declaredView() leads to what is declared further below, and to nothing beside it', () => {
    const view = declaredView(reading(Pod, ['spec.nodeName']), pod) as typeof pod;
    expect(view.spec.nodeName).toBe('n1');
    expect(() => view.spec.containers).toThrow(UndeclaredReadError);
  });

  it('declaredView() is copied, compared and printed as what the cache would hold', () => {
    const view = declaredView(Pod, pod);
    expect(JSON.parse(JSON.stringify(view))).toEqual(kept);
    expect(structuredClone(view)).toEqual(kept);
    expect(isDeepStrictEqual(view, kept)).toBe(true);
    expect(Object.keys(view)).toEqual(Object.keys(kept));
  });
});

describe('observationOf(), declared fields', () => {
  it('observationOf() throws when a function looks at a field of a child that it does not declare', () => {
    const child = observationOf(shelf, { spec: { books: [] }, children: [pod] }).children.of(Pod)[0];
    expect(child?.status?.phase).toBe('Running');
    expect(() => child?.spec).toThrow(UndeclaredReadError);
  });
});
