import { describe, expect, it } from 'vitest';
import { ConfigMap, Pod } from '#lib/kind/handles/reference.ts';
import { leaveBehind } from '#test/unit/loop/leave-behind.ts';
import { forbidden } from '#test/unit/support/finalized-shelf.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { probe } from '#test/unit/support/probe-kind.ts';

const reads = (bench: LoopBench): string[] =>
  bench.api.requests.filter(({ verb }) => verb === 'get').map(({ name }) => name);

/** A bench with more children elsewhere of an earlier resource `default/next` than one pass deletes. */
const leftBehind = (): LoopBench => {
  const bench = new LoopBench(probe);
  bench.api.makeNamespace('logging');
  leaveBehind(bench.api, 60);
  bench.catchUp();
  return bench;
};

describe('reconcile() when an earlier resource left many children elsewhere', () => {
  it('reconcile() asks for the next pass at once when one pass cannot delete all of them', async () => {
    const bench = leftBehind();
    expect(await bench.pass('next')).toEqual({ next: 'again', afterMs: 0 });
    expect(bench.api.all(ConfigMap, 'logging')).toHaveLength(10);
    expect(await bench.pass('next')).toEqual({ next: 'rest' });
    expect(bench.api.all(ConfigMap, 'logging')).toEqual([]);
  });

  it('reconcile() keeps the delay of a failed write when one pass cannot delete all of them', async () => {
    const bench = leftBehind();
    bench.declare('next', { text: 'x', targets: [] });
    bench.api.refuse = ({ verb }) => (verb === 'patch' ? forbidden : undefined);
    expect(await bench.pass('next')).toMatchObject({ next: 'backoff' });
    expect(bench.api.all(ConfigMap, 'logging')).toHaveLength(10);
  });
});

describe('reconcile() when children are missing again', () => {
  it('reconcile() looks the resource up when its last pass created the missing child', async () => {
    const bench = new LoopBench();
    bench.declare('web', { books: ['a'] });
    await bench.pass('web');
    bench.api.vanish(Pod, 'a');
    bench.catchUp();
    await bench.pass('web');
    expect(reads(bench)).toEqual(['web']);
    expect(bench.podNames()).toEqual(['a']);
  });

  it('reconcile() does not look the resource up when its last pass only deleted a child', async () => {
    const bench = new LoopBench();
    bench.declare('web', { books: ['a', 'b'] });
    await bench.converge('web');
    bench.edit('web', { books: ['a'] });
    bench.catchUp();
    await bench.pass('web');
    expect(bench.podNames()).toEqual(['a']);
    bench.api.vanish(Pod, 'a');
    bench.catchUp();
    await bench.pass('web');
    expect([reads(bench), bench.podNames()]).toEqual([[], ['a']]);
  });

  it('reconcile() does not look the resource up when no create has succeeded', async () => {
    const bench = new LoopBench();
    bench.declare('web', { books: ['a'] });
    bench.api.refuse = ({ verb }) => (verb === 'create' ? forbidden : undefined);
    for (let pass = 0; pass < 4; pass += 1) {
      await bench.pass('web');
      bench.catchUp();
      await bench.timers.advance(60_000);
    }
    bench.api.refuse = () => undefined;
    await bench.pass('web');
    expect([reads(bench), bench.podNames()]).toEqual([[], ['a']]);
  });
});
