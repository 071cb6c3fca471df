import { expect, it } from 'vitest';
import { forbidden } from '#lib/apiserver/machinery/status.ts';
import { defineKind } from '#lib/desired/definition.ts';
import { ConfigMap, Pod } from '#lib/kind/handles/reference.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { answerOf } from '#test/unit/support/server-answers.ts';
import { shelf, strangersPod } from '#test/unit/support/shelf-kind.ts';

/** A child of a shelf that a backup restored, without an owner. */
const stray = (kind: string, name: string) => ({
  ...strangersPod(name, {
    labels: { 'demo.example.com/shelf': 'shelf' },
    annotations: { 'cdk8s-reconcile/intent': 'x7k2p9dqzt' },
  }),
  kind,
});

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
  const refusal = answerOf(forbidden({ group: '', kind: 'pods', name: 'a' }, 'a policy denies it'));
  bench.api.refuse = ({ verb, resource }) => (verb === 'apply' && resource === 'pods' ? refusal : undefined);
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
