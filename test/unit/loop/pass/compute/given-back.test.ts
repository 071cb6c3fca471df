import { describe, expect, it } from 'vitest';
import { forbidden } from '#lib/apiserver/machinery/status.ts';
import { defineKind } from '#lib/desired/definition.ts';
import { ConfigMap, Pod } from '#lib/kind/handles/reference.ts';
import { compute } from '#lib/loop/pass/compute/compute.ts';
import { setOwners, snapshotOf, strayPod } from '#test/unit/loop/pass/pass-bench.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { answerOf } from '#test/unit/support/server-answers.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';

/** A child of a shelf that a backup restored, without an owner. */
const stray = (kind: string, name: string) => ({ ...strayPod(name), kind });

const refusal = answerOf(forbidden({ group: '', kind: 'pods', name: 'a' }, 'a policy denies it'));

const refusedPods: LoopBench['api']['refuse'] = ({ verb, resource }) =>
  verb === 'apply' && resource === 'pods' ? refusal : undefined;

it.each([
  { what: 'another pod', kind: Pod, name: 'b' },
  { what: 'an object of another kind with the same name', kind: ConfigMap, name: 'a' },
])('reconcile() adopts $what before its function is called, after a refused adoption', async ({ kind, name }) => {
  let calls = 0;
  const bench = new LoopBench(
    defineKind({
      ...shelf,
      owns: [Pod, ConfigMap],
      desired: (seen) => {
        calls += 1;
        return { ...shelf.desired(seen), partial: 'as it is' };
      },
    }),
  );
  bench.api.put(Pod, stray('Pod', 'a'));
  bench.declare('shelf', { books: [] });
  bench.api.refuse = refusedPods;
  await bench.pass('shelf');
  bench.api.refuse = () => undefined;
  bench.api.put(kind, stray(kind.kind, name));
  bench.catchUp();
  await bench.pass('shelf');
  expect(calls).toBe(0);
  // The refusal also delays the adoptions of other pods.
  await bench.timers.advance(10_000);
  await bench.pass('shelf');
  expect(bench.api.one(kind, name).metadata).toMatchObject({ ownerReferences: [{ name: 'shelf' }] });
});

describe('compute() after a refused adoption', () => {
  it.each([
    { books: ['a'], steps: ['create Pod a', 'adopt Pod b'] },
    { books: ['b'], steps: ['create Pod b', 'adopt Pod a'] },
    { books: [], steps: ['adopt Pod a', 'adopt Pod b'] },
  ])('compute() adopts the children that it does not write: $steps', async ({ books, steps }) => {
    const bench = new LoopBench(shelf);
    for (const name of ['a', 'b']) bench.api.put(Pod, stray('Pod', name));
    bench.declare('shelf', { books });
    bench.api.refuse = refusedPods;
    await bench.pass('shelf');
    const { plan } = compute(bench.context, snapshotOf(bench.context, 'shelf'));
    expect(plan.steps.map(({ step, kind, name }) => `${step} ${kind.kind} ${name}`)).toEqual(steps);
  });
});

it('reconcile() calls its function before it reports that a policy takes the owner reference off a restored child', async () => {
  const bench = new LoopBench(shelf);
  bench.api.put(Pod, stray('Pod', 'a'));
  bench.declare('shelf', { books: ['a'] });
  setOwners(bench, 'pods');
  const statuses = () => bench.api.writes.filter(({ verb }) => verb === 'patchStatus').length;
  expect(await bench.pass('shelf')).toMatchObject({ afterMs: 0 });
  expect(statuses()).toBe(0);
  await bench.pass('shelf');
  expect(bench.conditionOf('shelf', 'ChildOverridden')).toMatchObject({ status: 'True', reason: 'FieldConflict' });
});
