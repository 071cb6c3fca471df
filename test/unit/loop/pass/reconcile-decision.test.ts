import { describe, expect, it } from 'vitest';
import { ready } from '#lib/desired/result/state.ts';
import { ConnectionError } from '#lib/errors.ts';
import { ObjectCache } from '#lib/loop/cache/cache.ts';
import { projectResource } from '#lib/loop/cache/projection/projection.ts';
import { withStubs } from '#lib/loop/cache/size/stub.ts';
import type { DecidedPass } from '#lib/loop/pass/decision.ts';
import { standing, ticking } from '#test/unit/loop/pass/settling/diary-bench.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';

describe('reconcile() when it decides', () => {
  it('reconcile() keeps the state of the function separately only when it reports NeverSettles instead', async () => {
    const decisions: DecidedPass[] = [];
    await standing(ticking(), { ms: 10_000, onDecision: (pass) => void decisions.push(pass) });
    const states = decisions.map(({ wanted, unsaid }) => ({ reported: wanted.desired.state.reason, unsaid }));
    expect(states[0]).toEqual({ reported: 'Written', unsaid: undefined });
    expect(states.at(-1)).toEqual({ reported: 'NeverSettles', unsaid: ready('Written', 'all pages') });
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
