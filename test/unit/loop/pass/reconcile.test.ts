import { describe, expect, it } from 'vitest';
import { appService } from '#constructs/app-service/kind.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { apply, remove } from '#lib/desired/result/intent.ts';
import { ConnectionError } from '#lib/errors.ts';
import { type KubeObject, Pod } from '#lib/kind/handles/reference.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { bookPod, shelf, shelfThat, strangersPod } from '#test/unit/support/shelf-kind.ts';

const books = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `book-${String(i).padStart(3, '0')}`);

/** A shelf whose books exist, and no request counted yet. */
const settledShelf = async (count: number, definition: AnyKindDefinition = shelf): Promise<LoopBench> => {
  const bench = new LoopBench(definition);
  bench.declare('shelf', { books: books(count) });
  await bench.converge('shelf');
  bench.api.requests.length = 0;
  // Longer than the interval within which status writes are combined.
  await bench.timers.advance(1000);
  return bench;
};

/** A shelf whose pods have additional fields. */
const shelfOf = (more: { readonly metadata?: object; readonly spec?: object }): AnyKindDefinition => {
  const book = (name: string): ReturnType<typeof bookPod> => {
    const { metadata, spec, ...rest } = bookPod(name);
    return { ...rest, metadata: { ...metadata, ...more.metadata }, spec: { ...spec, ...more.spec } };
  };
  return shelfThat((seen) => ({
    ...shelf.desired(seen),
    children: seen.resource.spec.books.map((name) => apply(book(name))),
  }));
};

/** A shelf that removes children by name that its spec does not list. */
const shelfThatRemoves = shelfThat((seen) => {
  const declared = shelf.desired(seen);
  const isListed = ({ metadata }: KubeObject): boolean => seen.resource.spec.books.includes(metadata?.name ?? '');
  const surplus = seen.children.of(Pod).filter((pod) => !isListed(pod));
  return { ...declared, children: [...declared.children, ...surplus.map((pod) => remove(pod, 'Surplus'))] };
});

const verbsOf = (bench: LoopBench): Record<string, number> =>
  Object.fromEntries(
    [...Map.groupBy(bench.api.requests, ({ verb }) => verb)].map(([verb, requests]) => [verb, requests.length]),
  );

describe('reconcile()', () => {
  it.each([{ count: 0 }, { count: 1 }, { count: 3 }, { count: 100 }])(
    'reconcile() needs one request per child and one for the status when $count children are wanted',
    async ({ count }) => {
      const bench = new LoopBench();
      bench.declare('shelf', { books: books(count) });
      expect(await bench.converge('shelf')).toEqual({ next: 'rest' });
      expect(verbsOf(bench)).toEqual({ ...(count > 0 ? { create: count } : {}), patchStatus: 1 });
      expect(bench.podNames()).toEqual(books(count));
      expect(bench.statusOf('shelf')).toMatchObject({ count, observedGeneration: 1 });
      expect(bench.conditionOf('shelf', 'Ready')).toMatchObject({ status: 'True', reason: 'Complete' });
    },
  );

  it('reconcile() looks nothing up when there are too many children to create for one pass', async () => {
    const bench = new LoopBench();
    bench.declare('shelf', { books: Array.from({ length: 1100 }, (_, index) => `book-${index}`) });
    await bench.converge('shelf');
    expect(verbsOf(bench)).toEqual({ create: 1100, patchStatus: 2 });
  });

  it('reconcile() needs N + 1 requests for an AppService of 100', async () => {
    const bench = new LoopBench(appService);
    bench.declare('web', { replicas: 100 });
    await bench.converge('web');
    expect(verbsOf(bench)).toEqual({ create: 100, patchStatus: 1 });
  });

  it('reconcile() sends nothing when everything is as it should be', async () => {
    const bench = await settledShelf(3);
    for (let i = 0; i < 5; i += 1) expect(await bench.pass('shelf')).toEqual({ next: 'rest' });
    expect(bench.api.requests).toEqual([]);
  });

  it('reconcile() sends nothing when the process has started anew', async () => {
    const bench = await settledShelf(3);
    bench.context.memory.clear();
    expect(await bench.pass('shelf')).toEqual({ next: 'rest' });
    expect(bench.api.requests).toEqual([]);
  });

  it.each([
    { from: 5, to: 8, verb: 'create', changed: 3, reason: 'three come' },
    { from: 8, to: 6, verb: 'delete', changed: 2, reason: 'two go' },
    { from: 3, to: 0, verb: 'delete', changed: 3, reason: 'all go, and they are few' },
  ])(
    'reconcile() needs one request per change and one for the status when $reason',
    async ({ from, to, verb, changed }) => {
      const bench = await settledShelf(from);
      bench.edit('shelf', { books: books(to) });
      bench.catchUp();
      await bench.converge('shelf');
      expect(verbsOf(bench)).toEqual({ [verb]: changed, patchStatus: 1 });
      expect(bench.podNames()).toEqual(books(to));
      expect(bench.statusOf('shelf')).toMatchObject({ count: to, observedGeneration: 2 });
    },
  );

  it('reconcile() sees its own writes at once, however late the watch is', async () => {
    const bench = new LoopBench();
    bench.declare('shelf', { books: books(3) });
    expect(await bench.pass('shelf')).toEqual({ next: 'again', afterMs: 0 });
    expect(await bench.pass('shelf')).toEqual({ next: 'rest' });
    expect(await bench.pass('shelf')).toEqual({ next: 'rest' });
    expect(verbsOf(bench)).toEqual({ create: 3, patchStatus: 1 });
  });

  it('reconcile() replaces a child when a user deletes it', async () => {
    const bench = await settledShelf(3);
    const before = bench.api.one(Pod, 'book-001').metadata.uid;
    bench.api.vanish(Pod, 'book-001');
    bench.catchUp();
    await bench.converge('shelf');
    expect(bench.api.one(Pod, 'book-001').metadata.uid).not.toBe(before);
    expect(bench.podNames()).toEqual(books(3));
  });

  it.each([
    { definition: shelfOf({ spec: { nodeName: 'node-1' } }), reason: 'it is on a node and has its grace period' },
    { definition: shelfOf({ metadata: { finalizers: ['demo.example.com/hold'] } }), reason: 'a finalizer holds it' },
  ])(
    'reconcile() waits for a terminating child to leave its name, and deletes it no second time, when $reason',
    async ({ definition }) => {
      const bench = await settledShelf(2, definition);
      bench.edit('shelf', { books: books(1) });
      bench.catchUp();
      await bench.converge('shelf');
      await bench.converge('shelf');
      expect(verbsOf(bench)).toEqual({ delete: 1, patchStatus: 1 });
      expect(bench.api.one(Pod, 'book-001').metadata.deletionTimestamp).toBeDefined();
    },
  );

  it('reconcile() creates a child anew when the terminating one has left its name, not before', async () => {
    const bench = await settledShelf(2, shelfOf({ spec: { nodeName: 'node-1' } }));
    const { uid } = bench.api.one(Pod, 'book-001').metadata;
    for (const count of [1, 2]) {
      bench.edit('shelf', { books: books(count) });
      bench.catchUp();
      await bench.converge('shelf');
    }
    expect(bench.api.one(Pod, 'book-001').metadata.uid).toBe(uid);
    expect(verbsOf(bench)).not.toHaveProperty('create');
    bench.api.vanish(Pod, 'book-001');
    bench.catchUp();
    await bench.converge('shelf');
    expect(bench.api.one(Pod, 'book-001').metadata.uid).not.toBe(uid);
  });

  it('reconcile() counts a deletion as done when the object is gone already', async () => {
    const bench = await settledShelf(2);
    bench.edit('shelf', { books: books(1) });
    bench.catchUp();
    bench.api.vanish(Pod, 'book-001');
    expect(await bench.pass('shelf')).toEqual({ next: 'again', afterMs: 0 });
    expect(await bench.converge('shelf')).toEqual({ next: 'rest' });
    expect(bench.conditionOf('shelf', 'Ready')?.status).toBe('True');
  });

  it.each([
    { definition: shelf, reason: 'the child is no longer named' },
    { definition: shelfThatRemoves, reason: 'the child is to be removed' },
  ])(
    'reconcile() never deletes another object that has taken the name of a child when $reason',
    async ({ definition }) => {
      const bench = await settledShelf(2, definition);
      bench.edit('shelf', { books: books(1) });
      bench.catchUp();
      bench.api.vanish(Pod, 'book-001');
      const { uid } = bench.api.put(Pod, strangersPod('book-001')).metadata;
      await bench.converge('shelf');
      expect(bench.api.one(Pod, 'book-001').metadata.uid).toBe(uid);
      expect(bench.api.writes[0]).toMatchObject({ verb: 'delete', name: 'book-001' });
    },
  );

  it('reconcile() does not prune a child that has changed since it was observed', async () => {
    const bench = await settledShelf(2);
    bench.edit('shelf', { books: books(1) });
    bench.catchUp();
    bench.api.edit(Pod, 'book-001', (pod) => ({ ...pod, metadata: { ...pod.metadata, ownerReferences: [] } }));
    await bench.pass('shelf');
    expect(bench.podNames()).toContain('book-001');
  });

  it('reconcile() creates nothing twice when answers are lost', async () => {
    const bench = new LoopBench();
    bench.declare('shelf', { books: books(3) });
    bench.api.loseAnswer = ({ verb }) => (verb === 'create' ? new ConnectionError('broken off') : undefined);
    expect(await bench.pass('shelf')).toMatchObject({ next: 'backoff' });
    bench.api.loseAnswer = () => undefined;
    await bench.converge('shelf');
    await bench.timers.advance(300);
    await bench.converge('shelf');
    expect(bench.podNames()).toEqual(books(3));
    expect(bench.conditionOf('shelf', 'Ready')).toMatchObject({ status: 'True' });
  });

  it('reconcile() writes nothing when the resource is being deleted', async () => {
    const bench = await settledShelf(1);
    bench.api.edit(bench.kind, 'shelf', (object) => ({
      ...object,
      metadata: { ...object.metadata, finalizers: ['demo.example.com/hold'] },
      spec: { books: books(9) },
    }));
    bench.api.remove(bench.kind, 'shelf');
    bench.catchUp();
    expect(await bench.pass('shelf')).toEqual({ next: 'rest' });
    expect(bench.api.requests).toEqual([]);
  });

  it('reconcile() forgets what it remembered when the resource is gone', async () => {
    const bench = await settledShelf(1);
    bench.api.vanish(bench.kind, 'shelf');
    bench.catchUp();
    expect(await bench.pass('shelf')).toEqual({ next: 'rest' });
    expect(bench.context.memory.size).toBe(0);
    expect(bench.api.requests).toEqual([]);
  });

  it('reconcile() leaves the children of another resource alone', async () => {
    const bench = await settledShelf(2);
    bench.declare('other', { books: ['novel'] });
    await bench.converge('other');
    bench.edit('shelf', { books: [] });
    bench.catchUp();
    await bench.converge('shelf');
    expect(bench.podNames()).toEqual(['novel']);
  });

  it('reconcile() takes no children over from a predecessor of the same name', async () => {
    const bench = await settledShelf(1);
    bench.api.vanish(bench.kind, 'shelf');
    bench.declare('shelf', { books: [] });
    await bench.converge('shelf');
    expect(bench.podNames()).toEqual(books(1));
    expect(bench.statusOf('shelf')).toMatchObject({ count: 0 });
  });
});
