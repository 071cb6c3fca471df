import { describe, expect, it } from 'vitest';
import { forbidden } from '#lib/apiserver/machinery/status.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { compute } from '#lib/loop/pass/compute/compute.ts';
import { execute } from '#lib/loop/pass/execute/execute.ts';
import type { Step } from '#lib/plan/step.ts';
import { snapshotOf } from '#test/unit/loop/pass/pass-bench.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { answerOf } from '#test/unit/support/server-answers.ts';

/** Releases of pods that are gone, which need no request. */
const releases = (count: number): readonly Step[] =>
  Array.from({ length: count }, (_, index) => ({
    step: 'release',
    kind: Pod,
    name: `pod-${index}`,
    uid: `uid-${index}`,
    reason: 'Released',
    marks: { labels: {}, annotations: [] },
  }));

/** Executes the create of a pod together with some releases. */
const executed = async (count: number, isRefused: boolean) => {
  const bench = new LoopBench();
  bench.declare('shelf', { books: ['a'] });
  if (isRefused) {
    const denied = answerOf(forbidden({ group: '', kind: 'pods', name: 'a' }, 'a policy denies it'));
    bench.api.refuse = ({ verb }) => (verb === 'create' ? denied : undefined);
  }
  const seen = snapshotOf(bench.context, 'shelf');
  const steps = [...compute(bench.context, seen).plan.steps, ...releases(count)];
  return execute(bench.context, seen, steps, { withholds: false });
};

describe('execute() of many writes', () => {
  it.each([
    { count: 500, isRefused: false, done: 500, cut: false },
    { count: 501, isRefused: false, done: 500, cut: true },
    { count: 501, isRefused: true, done: 499, cut: false },
  ])('execute() of $count writes is cut: $cut, when one is refused: $isRefused', async (each) => {
    const { done, cut } = await executed(each.count - 1, each.isRefused);
    expect({ done: done.length, cut }).toEqual({ done: each.done, cut: each.cut });
  });
});
