import { describe, expect, it } from 'vitest';
import { apply, keep, remove } from '#lib/desired/result/intent.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { s } from '#lib/kind/schema/schema.ts';
import {
  clear,
  clearing,
  discard,
  exists,
  FINALIZER,
  finalizersOf,
  mark,
  shelfWith,
  standing,
  verbs,
} from '#test/unit/support/finalized-shelf.ts';
import { namespaceTerminating } from '#test/unit/support/server-answers.ts';
import { bookPod, type ShelfAnswer } from '#test/unit/support/shelf-kind.ts';

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

  it('finalize() is called for a resource that was deleted while no operator ran', async () => {
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
    // The function reads the status that it returned, so the loop calls it again.
    await bench.converge('shelf');
    expect(bench.podNames()).toEqual([]);
    expect(exists(bench)).toBe(false);
  });

  it('finalize() makes the resource Stalled with a way out when it needs a child in a namespace that is being deleted', async () => {
    const bench = await standing(({ children }) => ({
      children: [apply(bookPod('sweeper')), ...children.of(Pod).map(keep)],
      status: { count: children.of(Pod).length },
      partial: 'the sweeper has not run',
      state: clearing,
    }));
    bench.api.refuse = ({ verb }) => (verb === 'create' ? namespaceTerminating('default') : undefined);
    discard(bench);
    expect(await bench.converge('shelf')).toMatchObject({ next: 'backoff' });
    expect(bench.conditionOf('shelf', 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'NamespaceTerminating',
      message:
        'finalize() cannot create Pod "sweeper": the namespace is being deleted and accepts no new objects; do the work of finalize() by hand, then remove the finalizer "demo.example.com/cdk8s-reconcile"',
    });
    expect(bench.conditionOf('shelf', 'Reconciling')?.status).toBe('False');
  });

  it('desired() is only on its way when it needs a child in a namespace that is being deleted', async () => {
    const bench = await standing(clear, []);
    bench.api.refuse = ({ verb }) => (verb === 'create' ? namespaceTerminating('default') : undefined);
    bench.edit('shelf', { books: ['c'] });
    bench.catchUp();
    await bench.converge('shelf');
    expect(bench.conditionOf('shelf', 'Stalled')?.status).toBe('False');
    expect(bench.conditionOf('shelf', 'Reconciling')).toMatchObject({ status: 'True', reason: 'NamespaceTerminating' });
  });
});
