import { expect, it } from 'vitest';
import { Pod } from '#lib/kind/handles/reference.ts';
import { execute } from '#lib/loop/pass/execute/execute.ts';
import { snapshotOf } from '#test/unit/loop/pass/pass-bench.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { bookPod } from '#test/unit/support/shelf-kind.ts';

const CHILDREN = 1000;

it('execute() costs as much as there are refusals and steps, not one times the other', async () => {
  const bench = new LoopBench();
  bench.declare('shelf', { books: [] });
  const seen = snapshotOf(bench.context, 'shelf');
  let looks = 0;
  const names = Array.from({ length: CHILDREN }, (_, index) => `book-${index}`);
  const refused = names.map((name) => ({
    verb: 'create' as const,
    kind: 'Pod',
    reason: 'QuotaExceeded' as const,
    attempts: 1,
    at: '2026-11-21T09:30:00.000000Z',
    get name() {
      looks += 1;
      return name;
    },
  }));
  const steps = names.map((name) => ({
    step: 'create' as const,
    kind: Pod,
    name,
    declared: bookPod(name),
    reason: 'Missing' as const,
  }));
  const execution = await execute(bench.context, { ...seen, refused }, steps, { withholds: true });
  expect(execution.refused).toHaveLength(CHILDREN);
  expect(looks).toBeLessThan(CHILDREN * 50);
});
