import { expect, it } from 'vitest';
import { Pod } from '#lib/kind/handles/reference.ts';
import { execute } from '#lib/loop/pass/execute/execute.ts';
import { snapshotOf } from '#test/unit/loop/pass/pass-bench.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { bookPod } from '#test/unit/support/shelf-kind.ts';

const CHILDREN = 2000;

it('execute() stamps only what it writes', async () => {
  const bench = new LoopBench();
  bench.declare('shelf', { books: [] });
  const seen = snapshotOf(bench.context, 'shelf');
  const stamped = new Set<string>();
  const steps = Array.from({ length: CHILDREN }, (_, index) => {
    const name = `book-${index}`;
    const { spec, ...rest } = bookPod(name);
    const declared = {
      ...rest,
      get spec() {
        stamped.add(name);
        return spec;
      },
    };
    return { step: 'create' as const, kind: Pod, name, declared, reason: 'Missing' as const };
  });
  const { done, cut } = await execute(bench.context, seen, steps, { withholds: false });
  expect(cut).toBe(true);
  expect(done.length).toBeGreaterThan(0);
  expect([...stamped].toSorted()).toEqual(done.map(({ name }) => name).toSorted());
});
