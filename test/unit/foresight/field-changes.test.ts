import { describe, expect, it } from 'vitest';
import { fieldChanges, shownObject } from '#lib/foresight/plan/field-changes.ts';

const withSpec = (spec: object) => ({ apiVersion: 'v1', kind: 'Any', metadata: { name: 'a' }, spec });

const secretOf = (data: Readonly<Record<string, string>>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'a' },
  data,
});

const withHash = (hash: string) => ({
  ...secretOf({ a: hash }),
  metadata: { name: 'a', annotations: { 'cdk8s-reconcile/intent': hash } },
});

describe('fieldChanges()', () => {
  it('hides the hash of what a Secret was made of', () => {
    expect(JSON.stringify(fieldChanges(withHash('h-one'), withHash('h-two')))).not.toContain('h-');
    expect(JSON.stringify(shownObject(withHash('h-one')))).not.toContain('h-one');
  });

  it('names each field that changes, comes or goes', () => {
    expect(fieldChanges(withSpec({ a: 1, b: 2 }), withSpec({ a: 2, c: { d: 3 } }))).toEqual([
      { path: 'spec.a', before: 1, after: 2 },
      { path: 'spec.b', before: 2 },
      { path: 'spec.c.d', after: 3 },
    ]);
  });

  it('distinguishes the items of a list by what names them', () => {
    const before = withSpec({
      containers: [
        { name: 'a', image: 'a:1' },
        { name: 'b', image: 'b:1' },
      ],
    });
    const after = withSpec({
      containers: [
        { name: 'b', image: 'b:2' },
        { name: 'c', image: 'c:1' },
      ],
    });
    expect(fieldChanges(before, after)).toEqual([
      { path: 'spec.containers[name=a].image', before: 'a:1' },
      { path: 'spec.containers[name=a].name', before: 'a' },
      { path: 'spec.containers[name=b].image', before: 'b:1', after: 'b:2' },
      { path: 'spec.containers[name=c].image', after: 'c:1' },
      { path: 'spec.containers[name=c].name', after: 'c' },
    ]);
  });

  it('shows a list of plain values whole when its length changes, else by position', () => {
    expect(fieldChanges(withSpec({ l: [1] }), withSpec({ l: [1, 2] }))).toEqual([
      { path: 'spec.l', before: [1], after: [1, 2] },
    ]);
    expect(fieldChanges(withSpec({ l: [1, 2] }), withSpec({ l: [1, 3] }))).toEqual([
      { path: 'spec.l[1]', before: 2, after: 3 },
    ]);
  });

  it('leaves out what the API server keeps for itself', () => {
    const metadata = { name: 'a', resourceVersion: '1', generation: 1, managedFields: [] };
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}' };
    const before = { apiVersion: 'v1', kind: 'Any', metadata };
    const after = { ...before, metadata: { ...metadata, resourceVersion: '2', generation: 2, annotations } };
    expect(fieldChanges(before, after)).toEqual([]);
  });

  it('never shows the values of a Secret, only that they differ', () => {
    const changes = fieldChanges(secretOf({ a: 'b25l', b: 'dHdv' }), secretOf({ a: 'dHdv', c: 'b25l' }));
    expect(changes.map(({ path }) => path)).toEqual(['data.a', 'data.b', 'data.c']);
    expect(JSON.stringify([changes, shownObject(secretOf({ a: 'b25l' }))])).not.toMatch(/b25l|dHdv/);
  });
});
