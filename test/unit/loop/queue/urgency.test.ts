import { describe, expect, it } from 'vitest';
import { Pod } from '#lib/kind/handles/reference.ts';
import type { CachedObject } from '#lib/loop/cache/projection/projection.ts';
import { firstUrgencyOf, priorities, urgencyOf, urgencyOfRest } from '#lib/loop/queue/urgency.ts';
import { gate, live } from '#test/unit/support/controller-bench.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { settle } from '#test/unit/support/manual-timers.ts';
import { shelf, shelfThat, strangersPod } from '#test/unit/support/shelf-kind.ts';

const cached = (metadata: object = {}, rest: object = {}): CachedObject => ({
  apiVersion: 'demo.example.com/v1',
  kind: 'Shelf',
  metadata: { name: 'shelf', namespace: 'default', uid: 'u', resourceVersion: '1', ...metadata },
  ...rest,
});

/** A bench whose kind records the resources for which its function is called. */
const noted = () => {
  const looks: string[] = [];
  const bench = new LoopBench(
    shelfThat((seen) => {
      looks.push(seen.resource.metadata.name);
      return shelf.desired(seen);
    }),
  );
  return { bench, looks };
};

/** Lists resources with the status of an earlier operator. */
const listSeen = (bench: LoopBench, names: readonly string[], others: readonly string[] = []): void => {
  const { apiVersion, kind } = bench.kind;
  for (const name of [...names, ...others])
    bench.api.put(bench.kind, { apiVersion, kind, metadata: { name, namespace: 'default' }, spec: { books: [] } });
  for (const name of names) bench.api.editStatus(bench.kind, name, { observedGeneration: 1 });
  bench.list();
};

const ownerOf = (bench: LoopBench, name: string) => {
  const { apiVersion, kind, metadata } = bench.api.one(bench.kind, name);
  return { apiVersion, kind, name, uid: metadata.uid, controller: true };
};

describe('firstUrgencyOf()', () => {
  it.each([
    {
      resource: cached({ generation: 2 }, { status: { observedGeneration: 2 } }),
      urgency: 'resync',
      reason: 'its status knows it',
    },
    {
      resource: cached({ generation: 2 }, { status: { observedGeneration: 1 } }),
      urgency: 'unseen',
      reason: 'its spec was changed while no operator ran',
    },
    { resource: cached({ generation: 1 }), urgency: 'unseen', reason: 'it was created while no operator ran' },
    {
      resource: cached({ generation: 2, annotations: { a: 'b' } }, { status: { observedGeneration: 2 } }),
      urgency: 'resync',
      reason: 'it was annotated while no operator ran, which leaves no trace',
    },
    {
      resource: cached({ deletionTimestamp: '2026-01-01T00:00:00Z' }),
      urgency: 'deletion',
      reason: 'it is on its way out',
    },
  ])('firstUrgencyOf() is $urgency when $reason', ({ resource, urgency }) => {
    expect(firstUrgencyOf(resource)).toBe(urgency);
  });
});

describe('urgencyOf()', () => {
  it.each([
    { before: undefined, after: cached(), urgency: 'user', reason: 'a user created it' },
    { before: cached(), after: cached({ generation: 2 }), urgency: 'user', reason: 'a user changed its spec' },
    {
      before: cached(),
      after: cached({ resourceVersion: '2', annotations: { a: 'b' } }),
      urgency: 'user',
      reason: 'a user annotated it',
    },
    {
      before: cached(),
      after: cached({ resourceVersion: '2' }, { status: { count: 1 } }),
      urgency: 'child',
      reason: 'only its status changed',
    },
    {
      before: cached({}, { data: { a: 'b' } }),
      after: cached({ resourceVersion: '2' }, { data: { a: 'c' } }),
      urgency: 'user',
      reason: 'a user changed a parent without a generation',
    },
    {
      before: cached({ generation: 1 }, { spec: { a: 'b' } }),
      after: cached({ generation: 1, resourceVersion: '2' }, { spec: { a: 'b' }, status: { count: 1 } }),
      urgency: 'child',
      reason: 'only its status changed, and the generation stayed',
    },
    {
      before: undefined,
      after: cached({ deletionTimestamp: '2026-01-01T00:00:00Z' }),
      urgency: 'deletion',
      reason: 'it is on its way out',
    },
    { before: cached(), after: undefined, urgency: 'deletion', reason: 'it is gone' },
  ])('urgencyOf() is $urgency when $reason', ({ before, after, urgency }) => {
    expect(urgencyOf({ ...(before && { before }), ...(after && { after }) })).toBe(urgency);
  });
});

describe('Controller', () => {
  it('Controller looks at what users change before what its children do before what was there at the start', async () => {
    const { bench, looks } = noted();
    const { open } = gate(bench);
    const controller = bench.controller({ concurrency: 1 });
    bench.declare('first', { books: ['book'] });
    listSeen(bench, ['old', 'parent', 'edited']);
    controller.start();
    await settle();
    bench.api.put(Pod, strangersPod('stray', { ownerReferences: [ownerOf(bench, 'parent')] }));
    bench.edit('edited', { books: ['other'] });
    bench.catchUp();
    bench.api.before = () => undefined;
    await open();
    await live(bench, 1000);
    expect([...new Set(looks)]).toEqual(['first', 'edited', 'parent', 'old']);
  });

  it('Controller handles resources created while no operator ran before unchanged ones, and after current edits', async () => {
    const { bench, looks } = noted();
    const { open } = gate(bench);
    const controller = bench.controller({ concurrency: 1 });
    bench.declare('first', { books: ['book'] });
    listSeen(bench, ['a', 'b', 'edited'], ['new']);
    controller.start();
    await settle();
    bench.edit('edited', { books: ['other'] });
    bench.catchUp();
    bench.api.before = () => undefined;
    await open();
    await live(bench, 1000);
    expect([...new Set(looks)]).toEqual(['first', 'edited', 'new', 'a', 'b']);
  });
});

describe('urgencyOfRest()', () => {
  it('urgencyOfRest() puts the second pass of an edit before other edits, and its third behind them', () => {
    expect(urgencyOfRest('user', { looksAtStatus: false })).toBe('begun');
    expect(urgencyOfRest('begun', { looksAtStatus: false })).toBe('user');
  });

  it('urgencyOfRest() keeps the look at a written status before other edits', () => {
    expect(urgencyOfRest('begun', { looksAtStatus: true })).toBe('begun');
  });

  it('urgencyOfRest() leaves every other priority as it is', () => {
    const others = priorities.filter((priority) => priority !== 'user' && priority !== 'begun');
    expect(others.map((priority) => urgencyOfRest(priority, { looksAtStatus: false }))).toEqual(others);
  });
});
