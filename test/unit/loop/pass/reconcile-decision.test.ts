import { describe, expect, it } from 'vitest';
import { defineKind } from '#lib/desired/definition.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { ConnectionError } from '#lib/errors.ts';
import { ConfigMap } from '#lib/kind/handles/reference.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { ObjectCache } from '#lib/loop/cache/cache.ts';
import { projectResource } from '#lib/loop/cache/projection/projection.ts';
import { withStubs } from '#lib/loop/cache/size/stub.ts';
import type { DecidedPass } from '#lib/loop/pass/decision.ts';
import { live, started } from '#test/unit/support/controller-bench.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';

const written = ready('Written', 'all pages');

/** A bench whose function returns another child at every call, and the decisions of its passes. */
const restless = async () => {
  let calls = 0;
  const diary = defineKind({
    group: 'demo.example.com',
    version: 'v1',
    kind: 'Diary',
    spec: s.object({}),
    status: s.object({}),
    owns: [ConfigMap],
    desired: () => {
      calls += 1;
      const metadata = { name: 'page' };
      const data = { at: String(calls) };
      return { children: [apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data })], status: {}, state: written };
    },
  });
  const bench = new LoopBench(diary);
  const { timers, api, context } = bench;
  const decisions: DecidedPass[] = [];
  Object.assign(context, { onDecision: (pass: DecidedPass) => void decisions.push(pass) });
  // Every request takes some time, so that no two passes have the same time.
  api.before = async () => new Promise<void>((resolve) => void timers.setTimer(1, resolve));
  started(bench);
  bench.declare('diary', {});
  await live(bench, 10_000);
  return decisions;
};

describe('reconcile() when it decides', () => {
  it('reconcile() keeps the state of the function separately only when it reports NeverSettles instead', async () => {
    const decisions = await restless();
    const states = decisions.map(({ wanted, unsaid }) => ({ reported: wanted.desired.state.reason, unsaid }));
    expect(states[0]).toEqual({ reported: 'Written', unsaid: undefined });
    expect(states.at(-1)).toEqual({ reported: 'NeverSettles', unsaid: written });
  });

  it('reconcile() backs off and writes nothing when it cannot read a resource that the cache does not hold completely', async () => {
    const bench = new LoopBench();
    bench.declare('web', { books: ['a'] });
    const project = withStubs(projectResource, () => ({ by: 'budget', hasRoom: () => true }));
    const resources = new ObjectCache({ project, onChange: () => undefined });
    resources.replace([bench.api.one(bench.kind, 'web')], bench.api.resourceVersion);
    Object.assign(bench.context, { resources });
    bench.api.refuse = ({ verb }) => (verb === 'list' ? new ConnectionError('away') : undefined);
    expect(await bench.pass('web')).toEqual({ next: 'backoff', atLeastMs: 0 });
    expect(bench.api.writes).toEqual([]);
  });
});
