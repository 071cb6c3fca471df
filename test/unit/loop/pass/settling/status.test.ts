import { describe, expect, it } from 'vitest';
import { defineKind } from '#lib/desired/definition.ts';
import { ready } from '#lib/desired/result/state.ts';
import { ConfigMap } from '#lib/kind/handles/reference.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { live, started } from '#test/unit/support/controller-bench.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';

/** A kind that increments a number in its own status, up to the limit in its spec, or forever without a limit. */
const counter = defineKind({
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Counter',
  spec: s.object({ limit: s.optional(s.int32()) }),
  status: s.object({ count: s.int32() }),
  owns: [ConfigMap],
  desired: ({ resource: { spec, status } }) => ({
    children: [],
    status: { count: Math.min(spec.limit ?? 2 ** 30, (status?.count ?? 0) + 1) },
    state: ready('Counting', 'on and on'),
  }),
});

const counting = async (spec: object, ms: number): Promise<LoopBench> => {
  const bench = new LoopBench(counter);
  const { timers } = bench;
  bench.api.before = async () => new Promise<void>((resolve) => void timers.setTimer(1, resolve));
  started(bench);
  bench.declare('all', spec);
  await live(bench, ms);
  return bench;
};

const statusesOf = (bench: LoopBench): number => bench.api.writes.filter(({ verb }) => verb === 'patchStatus').length;

describe('restlessnessOf()', () => {
  it('lets a status that depends on itself without end rest ever longer, and names the field', async () => {
    const bench = await counting({}, 60_000);
    const message = expect.stringContaining('(status.count)') as unknown;
    expect(bench.conditionOf('all', 'Stalled')).toMatchObject({ status: 'True', reason: 'NeverSettles', message });
    expect(statusesOf(bench)).toBeLessThan(145);
    const before = statusesOf(bench);
    await live(bench, 600_000);
    expect(statusesOf(bench) - before).toBeLessThan(10);
  });

  it('lets a function go through steps of its own', async () => {
    const bench = await counting({ limit: 100 }, 60_000);
    expect(bench.statusOf('all')).toMatchObject({ count: 100 });
    expect(bench.conditionOf('all', 'Stalled')?.status).toBe('False');
  });

  it('answers a change of the spec at once, and says nothing any more when the function has settled', async () => {
    const bench = await counting({}, 60_000);
    bench.edit('all', { limit: 5 });
    await live(bench, 1000);
    expect(bench.statusOf('all')).toMatchObject({ count: 5 });
    expect(bench.conditionOf('all', 'Ready')).toMatchObject({ status: 'True', reason: 'Counting' });
    expect(bench.conditionOf('all', 'Stalled')?.status).toBe('False');
    const before = statusesOf(bench);
    await live(bench, 600_000);
    expect(statusesOf(bench)).toBe(before);
  });
});
