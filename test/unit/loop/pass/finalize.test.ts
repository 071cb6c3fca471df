import { describe, expect, it } from 'vitest';
import { type AnyKindDefinition, defineKind } from '#lib/desired/definition.ts';
import { apply, keep, release, remove } from '#lib/desired/intent.ts';
import { progressing } from '#lib/desired/state.ts';
import { ApiError } from '#lib/errors.ts';
import { Pod } from '#lib/kind/reference.ts';
import { s } from '#lib/kind/schema.ts';
import { keyOf } from '#lib/loop/key.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { bookPod, type ShelfAnswer, type ShelfSeen, shelf } from '#test/unit/support/shelf-kind.ts';

const FINALIZER = 'demo.example.com/cdk8s-reconcile';

const clearing = progressing('Clearing', 'the shelf is cleared');

/** Takes away what there is, or does what a test wants. */
const clear = ({ children }: ShelfSeen): ShelfAnswer => ({
  children: children.of(Pod).map((pod) => remove(pod, 'Cleared')),
  status: { count: children.of(Pod).length },
  state: clearing,
});

const shelfWith = (finalize: (seen: ShelfSeen) => ShelfAnswer): AnyKindDefinition => defineKind({ ...shelf, finalize });

/** A shelf whose books stand, and no request counted yet. */
const standing = async (finalize: (seen: ShelfSeen) => ShelfAnswer = clear, books = ['a', 'b']): Promise<LoopBench> => {
  const bench = new LoopBench(shelfWith(finalize));
  bench.declare('shelf', { books });
  await bench.converge('shelf');
  bench.api.requests.length = 0;
  await bench.timers.advance(1000);
  return bench;
};

const discard = (bench: LoopBench): void => {
  bench.api.remove(bench.kind, 'shelf');
  bench.catchUp();
};

const finalizersOf = (bench: LoopBench): unknown =>
  (bench.api.one(bench.kind, 'shelf').metadata as { readonly finalizers?: unknown }).finalizers;

const exists = (bench: LoopBench): boolean => bench.api.all(bench.kind).length > 0;

/** Somebody edits the finalizers; the watch has not told of it yet. */
const edit = (bench: LoopBench, finalizers: readonly string[]): void =>
  bench.api.edit(bench.kind, 'shelf', (object) => ({ ...object, metadata: { ...object.metadata, finalizers } }));

const mark = (bench: LoopBench, finalizers: readonly string[]): void => {
  edit(bench, finalizers);
  bench.catchUp();
};

const verbs = (bench: LoopBench): string[] => bench.api.requests.map(({ verb }) => verb);

const forbidden = new ApiError('patch shelves', { httpStatus: 403, reason: 'Forbidden', message: 'no right to patch' });

describe('ensureFinalizer()', () => {
  it('ensureFinalizer() adds the finalizer with one patch before any child is created', async () => {
    const bench = new LoopBench(shelfWith(clear));
    bench.declare('shelf', { books: ['a'] });
    expect(await bench.pass('shelf')).toEqual({ next: 'again', afterMs: 0 });
    expect(finalizersOf(bench)).toEqual([FINALIZER]);
    expect(verbs(bench)).toEqual(['patch']);
    await bench.converge('shelf');
    expect(verbs(bench)).toEqual(['patch', 'create', 'patchStatus']);
  });

  it('ensureFinalizer() leaves the finalizers of others alone when there are some', async () => {
    const bench = new LoopBench(shelfWith(clear));
    bench.declare('shelf', { books: [] });
    mark(bench, ['example.com/other']);
    await bench.converge('shelf');
    expect(finalizersOf(bench)).toEqual(['example.com/other', FINALIZER]);
  });

  it('ensureFinalizer() leaves the finalizers of others alone when one came that the watch has not told of', async () => {
    const bench = new LoopBench(shelfWith(clear));
    bench.declare('shelf', { books: [] });
    edit(bench, ['example.com/other']);
    expect(await bench.pass('shelf')).toEqual({ next: 'again', afterMs: 0 });
    expect(finalizersOf(bench)).toEqual(['example.com/other']);
    await bench.pass('shelf');
    expect(finalizersOf(bench)).toEqual(['example.com/other', FINALIZER]);
  });

  it('ensureFinalizer() adds nothing when the resource is gone meanwhile', async () => {
    const bench = new LoopBench(shelfWith(clear));
    bench.declare('shelf', { books: ['a'] });
    bench.api.vanish(bench.kind, 'shelf');
    await bench.pass('shelf');
    expect(await bench.pass('shelf')).toEqual({ next: 'rest' });
    expect(bench.podNames()).toEqual([]);
  });

  it('ensureFinalizer() creates no child and says why when the patch is refused', async () => {
    const bench = new LoopBench(shelfWith(clear));
    bench.declare('shelf', { books: ['a'] });
    bench.api.refuse = ({ verb }) => (verb === 'patch' ? forbidden : undefined);
    expect(await bench.pass('shelf')).toMatchObject({ next: 'backoff' });
    expect(bench.podNames()).toEqual([]);
    expect(bench.conditionOf('shelf', 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'Forbidden',
      message: `cannot add the finalizer ${FINALIZER}: Forbidden; trying again`,
    });
  });

  it('ensureFinalizer() asks for nothing when the kind has no finalize', async () => {
    const bench = new LoopBench();
    bench.declare('shelf', { books: [] });
    await bench.converge('shelf');
    expect(finalizersOf(bench)).toBeUndefined();
    bench.api.requests.length = 0;
    bench.api.vanish(bench.kind, 'shelf');
    bench.catchUp();
    expect(await bench.pass('shelf')).toEqual({ next: 'rest' });
    expect(bench.api.requests).toEqual([]);
  });
});

describe('finalize()', () => {
  it('finalize() is called until no child is observed, and then the resource goes', async () => {
    const bench = await standing();
    discard(bench);
    expect(await bench.converge('shelf')).toEqual({ next: 'rest' });
    expect(exists(bench)).toBe(false);
    expect(bench.podNames()).toEqual([]);
    expect(verbs(bench)).toEqual(['delete', 'delete', 'patch']);
    expect(bench.context.memory.size).toBe(0);
  });

  it('finalize() takes nothing away from others when they have finalizers, too', async () => {
    const bench = await standing(clear, []);
    mark(bench, ['example.com/first', FINALIZER, 'example.com/last']);
    discard(bench);
    await bench.converge('shelf');
    expect(finalizersOf(bench)).toEqual(['example.com/first', 'example.com/last']);
    bench.api.requests.length = 0;
    expect(await bench.pass('shelf')).toEqual({ next: 'rest' });
    expect(bench.api.requests).toEqual([]);
  });

  it('finalize() removes in the order of its passes, and its status is written meanwhile', async () => {
    const bench = await standing(({ children }) => {
      const [first, ...rest] = children.of(Pod);
      const intents = first === undefined ? [] : [remove(first, 'Next'), ...rest.map(keep)];
      return { children: intents, status: { count: intents.length }, state: clearing };
    });
    discard(bench);
    await bench.pass('shelf');
    expect(bench.podNames()).toEqual(['b']);
    await bench.pass('shelf');
    expect(bench.podNames()).toEqual([]);
    bench.api.requests.length = 0;
    await bench.converge('shelf');
    expect(exists(bench)).toBe(false);
  });

  it('finalize() writes its status while a child lingers', async () => {
    const bench = await standing(({ children }) => ({
      children: children.of(Pod).map(keep),
      status: { count: 7 },
      state: clearing,
    }));
    discard(bench);
    await bench.converge('shelf');
    expect(bench.statusOf('shelf')).toMatchObject({ count: 7 });
    expect(bench.conditionOf('shelf', 'Reconciling')).toMatchObject({ status: 'True', reason: 'Clearing' });
    bench.api.requests.length = 0;
    await bench.pass('shelf');
    expect(bench.api.requests).toEqual([]);
  });

  it.each<{ reason: string; finalize: () => ShelfAnswer }>([
    {
      reason: 'it could not decide everything',
      finalize: () => ({ children: [], status: { count: 0 }, state: clearing, partial: 'not now' }),
    },
    {
      reason: 'it throws',
      finalize: () => {
        throw new Error('broken');
      },
    },
  ])('finalize() keeps the resource when $reason', async ({ finalize }) => {
    const bench = await standing(finalize, []);
    discard(bench);
    await bench.converge('shelf');
    expect(finalizersOf(bench)).toEqual([FINALIZER]);
  });

  it('finalize() prunes all children it does not name when there are many, because the deletion is the consent', async () => {
    const books = Array.from({ length: 30 }, (_, index) => `book-${index}`);
    const bench = await standing(() => ({ children: [], status: { count: 0 }, state: clearing }), books);
    discard(bench);
    await bench.converge('shelf');
    expect(bench.podNames()).toEqual([]);
    expect(exists(bench)).toBe(false);
  });

  it('finalize() is called for a resource that was deleted while nobody looked', async () => {
    const bench = await standing();
    bench.context.memory.clear();
    discard(bench);
    await bench.converge('shelf');
    expect(exists(bench)).toBe(false);
  });

  it('finalize() is called for a spec that the schema does not allow any more', async () => {
    const bench = await standing();
    bench.api.redefine({ ...shelfWith(clear), spec: s.object({ books: s.int32(), added: s.string() }) });
    discard(bench);
    await bench.converge('shelf');
    expect(exists(bench)).toBe(false);
  });

  it('finalize() may create what it needs to clear up', async () => {
    const bench = await standing(({ resource, children }) => {
      const pods = children.of(Pod);
      const answer = { status: { count: pods.length, note: 'swept' }, state: clearing };
      if (resource.status?.note === 'swept') return { children: [], ...answer };
      if (pods.some(({ status }) => status?.phase === 'Succeeded')) return { children: pods.map(keep), ...answer };
      const others = pods.filter(({ metadata }) => metadata?.name !== 'sweeper');
      return { ...answer, children: [apply(bookPod('sweeper')), ...others.map(keep)], status: { count: pods.length } };
    });
    discard(bench);
    await bench.converge('shelf');
    expect(bench.podNames()).toEqual(['a', 'b', 'sweeper']);
    bench.api.editStatus(Pod, 'sweeper', { phase: 'Succeeded' });
    bench.catchUp();
    await bench.converge('shelf');
    expect(bench.statusOf('shelf')).toMatchObject({ note: 'swept' });
    await bench.converge('shelf');
    expect(bench.podNames()).toEqual([]);
    expect(exists(bench)).toBe(false);
  });
});

describe('allowedSteps()', () => {
  it('allowedSteps() creates nothing while the garbage collector deletes the children, and goes on afterwards', async () => {
    const bench = await standing(
      () => ({
        children: [apply(bookPod('sweeper'))],
        status: { count: 0 },
        state: clearing,
      }),
      [],
    );
    mark(bench, [FINALIZER, 'foregroundDeletion']);
    discard(bench);
    await bench.converge('shelf');
    expect(bench.podNames()).toEqual([]);
    expect(finalizersOf(bench)).toEqual([FINALIZER, 'foregroundDeletion']);
    mark(bench, [FINALIZER]);
    await bench.converge('shelf');
    expect(bench.podNames()).toEqual(['sweeper']);
  });
});

describe('awaitsFinalize()', () => {
  it('awaitsFinalize() is false while the garbage collector lets go of the children', async () => {
    const bench = await standing();
    mark(bench, [FINALIZER, 'orphan']);
    discard(bench);
    expect(await bench.converge('shelf')).toEqual({ next: 'rest' });
    expect(bench.api.requests).toEqual([]);
    expect(bench.podNames()).toEqual(['a', 'b']);
  });

  it('awaitsFinalize() is true afterwards, and what was let go is not deleted though the watch has not told of it', async () => {
    const bench = await standing();
    mark(bench, [FINALIZER, 'orphan']);
    discard(bench);
    mark(bench, [FINALIZER]);
    for (const name of ['a', 'b'])
      bench.api.edit(Pod, name, (pod) => ({ ...pod, metadata: { ...pod.metadata, ownerReferences: [] } }));
    await bench.converge('shelf');
    await bench.converge('shelf');
    expect(bench.podNames()).toEqual(['a', 'b']);
    expect(exists(bench)).toBe(false);
  });
});

describe('dropFinalizer()', () => {
  it('dropFinalizer() looks again when somebody changed the list meanwhile', async () => {
    const bench = await standing(clear, []);
    discard(bench);
    edit(bench, []);
    expect(await bench.pass('shelf')).toEqual({ next: 'again', afterMs: 0 });
    expect(await bench.pass('shelf')).toEqual({ next: 'rest' });
  });

  it('dropFinalizer() says why when it is refused', async () => {
    const bench = await standing(clear, []);
    discard(bench);
    bench.api.refuse = ({ verb }) => (verb === 'patch' ? forbidden : undefined);
    expect(await bench.pass('shelf')).toMatchObject({ next: 'backoff' });
    expect(bench.conditionOf('shelf', 'Stalled')).toMatchObject({ status: 'True', reason: 'Forbidden' });
    bench.api.refuse = () => undefined;
    await bench.converge('shelf');
    expect(exists(bench)).toBe(false);
  });

  it('dropFinalizer() frees a resource whose kind has no finalize any more', async () => {
    const bench = await standing();
    const later = new LoopBench();
    expect(later.context.definition.finalize).toBeUndefined();
    later.declare('shelf', { books: ['a'] });
    await later.converge('shelf');
    mark(later, [FINALIZER]);
    discard(later);
    later.api.requests.length = 0;
    expect(await later.converge('shelf')).toEqual({ next: 'rest' });
    expect(verbs(later)).toEqual(['patch']);
    expect(exists(later)).toBe(false);
    expect(bench.context.resources.get(keyOf('default', 'shelf'))).toBeDefined();
  });

  it('dropFinalizer() lets go of nothing when children were released but others remain', async () => {
    const bench = await standing(({ children }) => ({
      children: children.of(Pod).map((pod) => (pod.metadata?.name === 'a' ? release(pod) : keep(pod))),
      status: { count: 1 },
      state: clearing,
    }));
    discard(bench);
    await bench.converge('shelf').catch(() => undefined);
    expect(finalizersOf(bench)).toEqual([FINALIZER]);
  });
});
