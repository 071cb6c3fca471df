import { describe, expect, it } from 'vitest';
import { progressing, ready } from '#lib/desired/result/state.ts';
import { ConfigMap } from '#lib/kind/handles/reference.ts';
import { live, started } from '#test/unit/support/controller-bench.ts';
import { bookConfigMap, librarian } from '#test/unit/support/librarian-kind.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { settle } from '#test/unit/support/manual-timers.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';

describe('a write of this process without an event yet', () => {
  it('wakes the resources that read the object', async () => {
    const bench = new LoopBench(librarian);
    started(bench);
    bench.declare('ada', { wants: 'guide' });
    await live(bench, 1000);
    const answer = bench.api.put(ConfigMap, bookConfigMap('guide'));
    bench.context.related.get(ConfigMap)?.overlay(answer);
    await settle();
    expect(bench.statusOf('ada')).toMatchObject({ wanted: 'guide' });
  });

  it('wakes the resource that it changed, and not for its status alone', async () => {
    const calls: string[][] = [];
    const desired: typeof shelf.desired = (seen) => {
      calls.push([...seen.resource.spec.books]);
      return shelf.desired(seen);
    };
    const bench = new LoopBench({ ...shelf, desired });
    started(bench);
    bench.declare('shelf', { books: ['a'] });
    await live(bench, 1000);
    calls.length = 0;
    await live(bench, 1000);
    expect(calls).toEqual([]);
    bench.edit('shelf', { books: ['a', 'b'] });
    bench.context.resources.overlay(bench.api.one(bench.kind, 'shelf'));
    await settle();
    expect(calls[0]).toEqual(['a', 'b']);
  });
});

describe('a status of another writer', () => {
  it('wakes its resource also when another kind looked it up before the event of the watch', async () => {
    const bench = new LoopBench();
    started(bench);
    bench.declare('shelf', { books: ['a'] });
    await live(bench, 1000);
    bench.api.editStatus(bench.kind, 'shelf', { count: 99 });
    bench.context.resources.overlay(bench.api.one(bench.kind, 'shelf'));
    await live(bench, 1000);
    expect(bench.statusOf('shelf')).toMatchObject({ count: 1 });
  });
});

const counting: typeof shelf.desired = ({ resource }) => {
  const count = Math.min(3, (resource.status?.count ?? 0) + 1);
  const state = count === 3 ? ready('Counted', 'to three') : progressing('Counting', 'to three');
  return { children: [], status: { count }, state };
};

describe('a function that looks at the status', () => {
  it('is asked again when its status was written, until it says the same', async () => {
    const bench = new LoopBench({ ...shelf, desired: counting });
    started(bench);
    bench.declare('shelf', { books: [] });
    await live(bench, 2000);
    expect(bench.statusOf('shelf')).toMatchObject({ count: 3 });
    bench.api.requests.length = 0;
    await live(bench, 2000);
    expect(bench.api.requests).toEqual([]);
  });
});
