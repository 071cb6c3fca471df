import { describe, expect, it } from 'vitest';
import { apply } from '#lib/desired/result/intent.ts';
import { progressing, ready } from '#lib/desired/result/state.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { live, started } from '#test/unit/support/controller-bench.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { bookPod, shelfThat } from '#test/unit/support/shelf-kind.ts';

const CHILDREN = 1000;

const booksOf = (count: number): string[] => Array.from({ length: count }, (_, index) => `book-${index}`);

/** A running shelf, and the number of calls of its function. Every pass with changed input calls the function. */
const counted = () => {
  let calls = 0;
  const definition = shelfThat(({ resource, children }) => {
    calls += 1;
    const pods = children.of(Pod);
    const running = pods.filter(({ status }) => status?.phase === 'Running').length;
    const { books } = resource.spec;
    return {
      children: books.map((name) => apply(bookPod(name))),
      status: { count: running },
      state: pods.length === books.length ? ready('Complete', 'all there') : progressing('Filling', 'some missing'),
    };
  });
  const bench = new LoopBench(definition);
  started(bench);
  const callsOf = async (what: () => Promise<void>): Promise<number> => {
    const before = calls;
    await what();
    return calls - before;
  };
  return { bench, callsOf };
};

type Counted = ReturnType<typeof counted>;

const filled = async ({ bench, callsOf }: Counted, children: number): Promise<number> =>
  callsOf(async () => {
    bench.declare('shelf', { books: booksOf(children) });
    await live(bench, 1000);
  });

/** Reports pods as kubelets do, one each millisecond. */
const burst = async ({ bench, callsOf }: Counted, events: number): Promise<number> =>
  callsOf(async () => {
    for (const name of booksOf(events)) {
      bench.api.editStatus(Pod, name, { phase: 'Running' });
      bench.catchUp();
      await bench.timers.advance(1);
    }
    await live(bench, 1000);
  });

describe('Controller: many children', () => {
  it('Controller needs a pass per 500 children to create them, and one to report; echoes of its writes cause none', async () => {
    const shelf = counted();
    expect(await filled(shelf, CHILDREN)).toBe(CHILDREN / 500 + 1);
    expect(shelf.bench.statusOf('shelf')).toMatchObject({ observedGeneration: 1 });
    expect(shelf.bench.conditionOf('shelf', 'Ready')?.status).toBe('True');
  });

  it('Controller needs few passes when many children change one after the other, and misses none', async () => {
    const shelf = counted();
    await filled(shelf, CHILDREN);
    // For 1000 children the quiet time is 20 ms; the other passes write the status.
    expect(await burst(shelf, 500)).toBeLessThanOrEqual(500 / 20 + 5);
    expect(shelf.bench.statusOf('shelf')).toMatchObject({ count: 500 });
  });

  it('Controller looks again at once when a child of a small set changes', async () => {
    const shelf = counted();
    await filled(shelf, 20);
    expect(await burst(shelf, 20)).toBeGreaterThanOrEqual(20);
    expect(shelf.bench.statusOf('shelf')).toMatchObject({ count: 20 });
  });

  it('Controller does not wait for the quiet time of a large set when its spec changes', async () => {
    const shelf = counted();
    await filled(shelf, CHILDREN);
    const { bench, callsOf } = shelf;
    await burst(shelf, 1);
    const calls = await callsOf(async () => {
      bench.api.editStatus(Pod, 'book-1', { phase: 'Running' });
      bench.catchUp();
      await bench.timers.advance(0);
      bench.edit('shelf', { books: booksOf(CHILDREN + 1) });
      bench.catchUp();
      await bench.timers.advance(0);
    });
    expect(calls).toBeGreaterThanOrEqual(2);
    expect(bench.podNames()).toHaveLength(CHILDREN + 1);
  });
});
