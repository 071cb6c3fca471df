import { expect, it } from 'vitest';
import { apply } from '#lib/desired/result/intent.ts';
import { progressing } from '#lib/desired/result/state.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { started } from '#test/unit/support/controller-bench.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { bookPod, shelfThat } from '#test/unit/support/shelf-kind.ts';

/** A shelf with one more pod in every pass, up to forty. */
const growing = shelfThat(({ children }) => {
  const present = children.of(Pod).map(({ metadata }) => metadata?.name ?? '');
  const names = Array.from({ length: Math.min(40, present.length + 1) }, (_, index) => `book-${index}`);
  return {
    children: names.map((name) => apply(bookPod(name))),
    status: { count: present.length },
    state: progressing('Filling', `${present.length} books`),
  };
});

it('reconcile() writes the status every now and then although every pass writes children', async () => {
  const bench = new LoopBench(growing);
  const { timers } = bench;
  bench.api.before = async () => new Promise<void>((resolve) => void timers.setTimer(50, resolve));
  started(bench);
  bench.declare('shelf', { books: [] });
  await timers.advance(1000);
  expect(bench.pods().length).toBeLessThan(40);
  expect(bench.statusOf('shelf')).not.toEqual({});
});
