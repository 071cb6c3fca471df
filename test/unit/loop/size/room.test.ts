import { describe, expect, it } from 'vitest';
import type { OwnerReference } from '#lib/kind/handles/reference.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { projectionOf } from '#lib/loop/cache/projection/projection.ts';
import { SizeBudget } from '#lib/loop/cache/size/budget.ts';
import { withRoomLimit } from '#lib/loop/cache/size/room.ts';
import { excessOf } from '#lib/loop/cache/size/stub.ts';

const BYTES = 1_000_000;

const ownedBy = (kind: string): OwnerReference => ({
  apiVersion: 'demo.example.com/v1',
  kind,
  name: 'a',
  uid: 'a',
  controller: true,
});

const configMap = (name: string, size: number, metadata: object = {}): ApiObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', uid: name, resourceVersion: '5', ...metadata },
  data: { text: 'x'.repeat(size) },
});

const isOurs = ({ kind }: OwnerReference): boolean => kind === 'Shelf';

const world = ({ isRead = false }: { readonly isRead?: boolean } = {}) => {
  const budget = new SizeBudget(BYTES);
  const project = withRoomLimit(projectionOf(undefined), { budget: budget.share(), isOurs, isRead });
  return { budget, project, isWhole: (object: ApiObject) => excessOf(project(object)) === undefined };
};

const wholeAmong = (isWhole: (object: ApiObject) => boolean, name: string, metadata: object = {}): number =>
  Array.from({ length: 100 }, (_, index) => configMap(`${name}-${index}`, 50_000, metadata)).filter(isWhole).length;

describe('withRoomLimit()', () => {
  it('withRoomLimit() keeps small objects without counting them', () => {
    const { budget, isWhole } = world();
    expect(isWhole(configMap('a', 3000))).toBe(true);
    expect(budget.taken).toBe(0);
  });

  it('withRoomLimit() keeps a stub of a large object with a foreign controller, which no function sees', () => {
    const { budget, isWhole } = world();
    expect(isWhole(configMap('a', 50_000, { ownerReferences: [ownedBy('Other')] }))).toBe(false);
    expect(budget.taken).toBe(0);
  });

  it('withRoomLimit() keeps a large object with a foreign controller, which a function may look up', () => {
    const { isWhole } = world({ isRead: true });
    expect(isWhole(configMap('a', 50_000, { ownerReferences: [ownedBy('Other')] }))).toBe(true);
  });

  it('withRoomLimit() leaves room for children when others fill theirs, in the same namespace', () => {
    const { isWhole } = world();
    expect(wholeAmong(isWhole, 'other')).toBeLessThan(15);
    expect(wholeAmong(isWhole, 'child', { ownerReferences: [ownedBy('Shelf')] })).toBeGreaterThan(1);
  });

  it('withRoomLimit() bounds the children of a namespace, and leaves room for another one', () => {
    const { budget, isWhole } = world();
    const ownerReferences = [ownedBy('Shelf')];
    const first = wholeAmong(isWhole, 'a', { ownerReferences });
    const second = wholeAmong(isWhole, 'b', { ownerReferences, namespace: 'b' });
    expect([first, second].every((count) => count > 1 && count < 15)).toBe(true);
    expect(budget.taken).toBeLessThan(BYTES);
  });

  it('withRoomLimit() counts labels, which no projection reduces', () => {
    const { isWhole } = world();
    const labels = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`label-${index}`, 'x'.repeat(63)]));
    const pods = Array.from({ length: 100 }, (_, index) => configMap(`p-${index}`, 0, { labels }));
    expect(pods.filter(isWhole).length).toBeLessThan(10);
  });

  it('withRoomLimit() keeps the mark of a restored child, and labels, in its stub', () => {
    const { project, isWhole } = world();
    wholeAmong(isWhole, 'other');
    const marks = {
      labels: { 'demo.example.com/shelf': 'a' },
      annotations: { 'cdk8s-reconcile/intent': 'abcdefghij' },
    };
    const stub = project(configMap('mine', 100_000, marks));
    expect(excessOf(stub)).toBeDefined();
    expect(stub.metadata).toMatchObject(marks);
    expect(stub).not.toHaveProperty('data');
  });

  it('withRoomLimit() gives back the room of an object that has become small, or has been given to a foreign controller', () => {
    const { budget, project } = world();
    project(configMap('a', 50_000));
    project(configMap('b', 50_000));
    project(configMap('a', 10));
    project(configMap('b', 50_000, { ownerReferences: [ownedBy('Other')] }));
    expect(budget.taken).toBe(0);
  });
});
