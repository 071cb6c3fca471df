import { describe, expect, it } from 'vitest';
import { ELSEWHERE_LABEL, elsewhereName, PARENT_MARK, parentMarkOf } from '#lib/desired/marks/elsewhere.ts';
import { ownershipsOf } from '#lib/desired/marks/ownership.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { projectResource } from '#lib/loop/cache/projection/projection.ts';
import { SizeBudget } from '#lib/loop/cache/size/budget.ts';
import { withSizeLimit } from '#lib/loop/cache/size/size-limit.ts';
import { sizeOf } from '#lib/loop/cache/size/size-of.ts';
import { excessOf } from '#lib/loop/cache/size/stub.ts';

const KIB = 1024;
const big = 'x'.repeat(20 * KIB);

const resource = (more: object = {}, metadata: object = {}): ApiObject => ({
  apiVersion: 'demo.example.com/v1',
  kind: 'Shelf',
  metadata: { name: 'a', namespace: 'default', uid: 'u', resourceVersion: '5', ...metadata },
  ...more,
});

const limited = (bytes = Infinity) =>
  withSizeLimit(projectResource, { maxBytes: 16 * KIB, budget: new SizeBudget(bytes).share() });
const project = limited();

describe('sizeOf()', () => {
  it('sizeOf() counts bytes of texts and names, those of short texts by their length, and 16 for each value', () => {
    expect(sizeOf('äb', 1000)).toBe(18);
    expect(sizeOf('ä'.repeat(100), 1000)).toBe(216);
    expect(sizeOf({ ab: [1, 'c'] }, 1000)).toBe(16 + 2 + 16 + 16 + 17);
  });

  it('sizeOf() counts what is small as text and large in memory', () => {
    expect(
      sizeOf(
        Array.from({ length: 10_000 }, () => []),
        1e9,
      ),
    ).toBeGreaterThan(160_000);
  });

  it('sizeOf() ends soon after the limit, and survives any depth', () => {
    let deep: unknown = 'end';
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(sizeOf(deep, 1000)).toBeLessThan(1100);
    expect(sizeOf(deep, 1e9)).toBeGreaterThan(1_600_000);
  });
});

describe('withSizeLimit()', () => {
  it('withSizeLimit() leaves a resource within the limit as it is', () => {
    const object = resource({ spec: { a: 'x' } });
    expect(project(object)).toEqual(projectResource(object));
    expect(excessOf(project(object))).toBeUndefined();
  });

  it.each([
    ['spec', resource({ spec: { a: big } })],
    ['annotations', resource({}, { annotations: { a: big } })],
    ['labels', resource({}, { labels: { a: big } })],
    [
      'spec, and large conditions',
      resource({ spec: { a: big }, status: { conditions: [{ type: 'Ready', message: big }] } }),
    ],
    ['finalizers', resource({}, { finalizers: Array.from({ length: 2000 }, (_, index) => `example.com/f${index}`) })],
  ])('withSizeLimit() keeps a small stub of a resource with large %s', (_, object) => {
    const stub = project(object);
    expect(excessOf(stub)).toEqual({ by: 'limit', limit: 16 * KIB });
    expect(sizeOf(stub, 1e9)).toBeLessThan(4 * KIB);
    expect(stub.metadata).toMatchObject({ name: 'a', namespace: 'default', uid: 'u', resourceVersion: '5' });
  });

  it('withSizeLimit() keeps a stub of a resource for which the budget has no room, and says when it has', () => {
    const budgeted = limited(100 * KIB);
    const half = { spec: { a: 'x'.repeat(8 * KIB) } };
    expect(excessOf(budgeted(resource(half, { uid: 'a' })))).toBeUndefined();
    const stub = budgeted(resource(half, { uid: 'b', namespace: 'default' }));
    const still = budgeted(resource(half, { uid: 'c', namespace: 'default' }));
    const excesses = [stub, still].map(excessOf);
    expect(excesses.map((excess) => excess?.by)).toEqual([undefined, 'budget']);
    expect(excesses.map((excess) => excess?.by === 'budget' && excess.hasRoom())).toEqual([false, false]);
    expect(still).not.toHaveProperty('spec');
    budgeted(resource({}, { uid: 'a', resourceVersion: '9' }));
    expect(excesses.map((excess) => excess?.by === 'budget' && excess.hasRoom())).toEqual([false, true]);
  });

  it('withSizeLimit() gives the bytes of a resource back when it becomes larger than the limit', () => {
    const budget = new SizeBudget(100 * KIB);
    const own = withSizeLimit(projectResource, { maxBytes: 16 * KIB, budget: budget.share() });
    own(resource({ spec: { a: 'x'.repeat(8 * KIB) } }));
    expect(budget.taken).toBeGreaterThan(8 * KIB);
    own(resource({ spec: { a: big } }, { resourceVersion: '6' }));
    expect(budget.taken).toBe(0);
  });

  it('withSizeLimit() does not count the status, which the loop writes itself', () => {
    const object = resource({ spec: { a: 'x' }, status: { podNames: [big, big] } });
    expect(project(object)).toEqual(projectResource(object));
  });

  it.each([
    ['small labels', {}],
    ['large labels', { other: big }],
  ])('withSizeLimit() keeps the parent of a child of an extension with %s', (_, labels) => {
    const parent = { apiVersion: 'v1', kind: 'Namespace', name: 'n', uid: 'o' };
    const ownerReferences = [{ ...parent, uid: 'x' }, parent];
    const stub = project(
      resource({ spec: { a: big } }, { labels: { ...labels, 'demo.example.com/parent': 'o' }, ownerReferences }),
    );
    expect(ownershipsOf(stub)).toEqual([{ owner: parent, label: 'demo.example.com/parent' }]);
  });

  it('withSizeLimit() keeps the marks of a child elsewhere, and adds no owner reference', () => {
    const owner = { apiVersion: 'v1', kind: 'Set', name: 's', uid: 'o' };
    const marks = { definition: 'demo.example.com/set', namespace: 'home', owner };
    const stub = project(
      resource(
        { spec: { a: big } },
        {
          name: elsewhereName({ metadata: { namespace: 'home', name: 's', uid: 'o' } }, 'a'),
          labels: { other: big, [ELSEWHERE_LABEL]: 'o' },
          annotations: { other: big, [PARENT_MARK]: parentMarkOf(marks) },
        },
      ),
    );
    expect(ownershipsOf(stub)).toEqual([{ owner, marked: marks }]);
    expect(stub.metadata.ownerReferences).toBeUndefined();
  });

  it('withSizeLimit() keeps what the loop goes by: generation, deletion, finalizers, labels, controller and conditions', () => {
    const owner = { apiVersion: 'v1', kind: 'Set', name: 's', uid: 'o', controller: true };
    const conditions = [{ type: 'Ready', status: 'True' }];
    const stub = project(
      resource(
        { spec: { a: big }, status: { conditions, observedGeneration: 2, other: 1 } },
        {
          generation: 3,
          deletionTimestamp: '2026-01-01T00:00:00Z',
          finalizers: ['demo.example.com/cdk8s-reconcile'],
          labels: { app: 'a' },
          ownerReferences: [{ ...owner, uid: 'x', controller: false }, owner],
          annotations: { a: 'b' },
        },
      ),
    );
    expect(stub).toEqual({
      apiVersion: 'demo.example.com/v1',
      kind: 'Shelf',
      metadata: {
        name: 'a',
        namespace: 'default',
        uid: 'u',
        resourceVersion: '5',
        generation: 3,
        deletionTimestamp: '2026-01-01T00:00:00Z',
        finalizers: ['demo.example.com/cdk8s-reconcile'],
        labels: { app: 'a' },
        ownerReferences: [owner],
        annotations: { a: 'b' },
        annotationManagers: {},
      },
      status: { conditions, observedGeneration: 2 },
    });
  });
});
