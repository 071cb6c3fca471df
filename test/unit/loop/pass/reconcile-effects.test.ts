import { describe, expect, it } from 'vitest';
import type { HttpAnswer } from '#lib/kube/interface/http.ts';
import { get, scriptedHttp } from '#test/unit/support/effects-bench.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { shelf, shelfThat } from '#test/unit/support/shelf-kind.ts';

/** A shelf that requests a check until its status has the note that the check passed. Its function fails on demand. */
const checkedShelf = (books: readonly string[], answer?: () => HttpAnswer | Promise<HttpAnswer>) => {
  const { requests, effects } = scriptedHttp(answer);
  const told: string[] = [];
  const faults = { throws: false };
  const definition = shelfThat((seen) => {
    if (faults.throws) throw new Error('no');
    const { state } = seen.outcomes.http('check');
    told.push(state);
    const { status, ...rest } = shelf.desired(seen);
    if (state !== 'succeeded' && seen.resource.status?.note !== 'passed')
      return { ...rest, status, effects: [get('check')] };
    return { ...rest, status: { ...status, note: 'passed' } };
  });
  const bench = new LoopBench(definition, undefined, { effects });
  bench.declare('shelf', { books });
  const passes = async (count: number): Promise<void> => {
    for (let made = 0; made < count; made += 1) {
      await bench.pass('shelf');
      await bench.timers.advance(1000);
    }
  };
  return { bench, requests, told, faults, passes };
};

describe('reconcile() and effects', () => {
  it('reconcile() drops an outcome when two passes that read it have stored the status', async () => {
    const { bench, requests, told, passes } = checkedShelf([]);
    await passes(4);
    expect(told).toEqual(['none', 'succeeded', 'succeeded', 'none']);
    expect(bench.statusOf('shelf')).toMatchObject({ note: 'passed' });
    expect(requests).toHaveLength(1);
  });

  it('reconcile() keeps an outcome when the function fails in two passes before it reads the outcome', async () => {
    const { bench, requests, told, faults, passes } = checkedShelf([]);
    await passes(1);
    faults.throws = true;
    await passes(2);
    faults.throws = false;
    await passes(1);
    expect(told).toEqual(['none', 'succeeded']);
    expect(requests).toHaveLength(1);
    expect(bench.statusOf('shelf')).toMatchObject({ note: 'passed' });
  });

  it('reconcile() lets a running effect go on when the function fails', async () => {
    const { promise } = Promise.withResolvers<HttpAnswer>();
    const { requests, faults, passes } = checkedShelf([], () => promise);
    await passes(1);
    faults.throws = true;
    await passes(1);
    expect(requests.map(({ signal }) => signal.aborted)).toEqual([false]);
  });

  it('reconcile() starts no effect when the spec changes during the writes of the pass', async () => {
    const { bench, requests, passes } = checkedShelf(['a']);
    bench.api.before = ({ verb }) => {
      if (verb !== 'create') return;
      bench.edit('shelf', { books: ['a', 'b'] });
      bench.catchUp();
    };
    await passes(1);
    expect(bench.podNames()).toEqual(['a']);
    expect(requests).toEqual([]);
    bench.api.before = () => undefined;
    await passes(1);
    expect(requests).toHaveLength(1);
  });
});
