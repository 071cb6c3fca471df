import { describe, expect, it } from 'vitest';
import { instantOf, microsOf } from '#lib/desired/clock.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { strayPod } from '#test/unit/loop/pass/pass-bench.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { shelf, shelfThat } from '#test/unit/support/shelf-kind.ts';

const start = microsOf('2026-11-21T09:30:00Z');

describe('reconcile() and the next pass', () => {
  it('reconcile() leaves the delay to the back-off when the function fails and the status is written', async () => {
    const bench = new LoopBench(
      shelfThat(() => {
        throw new Error('no');
      }),
    );
    bench.declare('shelf', { books: [] });
    expect(await bench.pass('shelf')).toEqual({ next: 'backoff', atLeastMs: 0 });
    expect(bench.conditionOf('shelf', 'Stalled')?.status).toBe('True');
  });

  it('reconcile() looks again at the written status when the function reads it', async () => {
    const bench = new LoopBench(
      shelfThat((seen) => {
        const { status, ...rest } = shelf.desired(seen);
        return { ...rest, status: { ...status, note: seen.resource.status?.note ?? 'first' } };
      }),
    );
    bench.declare('shelf', { books: [] });
    expect(await bench.pass('shelf')).toEqual({ next: 'again', afterMs: 0, looksAtStatus: true });
    expect(await bench.pass('shelf')).toEqual({ next: 'rest' });
  });

  it('reconcile() looks again at the awaited instant when a child changed during the pass', async () => {
    const bench = new LoopBench(
      shelfThat((seen) => {
        seen.clock.reached(instantOf(start + 60_000_000));
        return shelf.desired(seen);
      }),
    );
    bench.declare('shelf', { books: ['a'] });
    await bench.pass('shelf');
    await bench.pass('shelf');
    bench.edit('shelf', { books: [] });
    bench.catchUp();
    bench.api.edit(Pod, 'a', (pod) => ({ ...pod, metadata: { ...pod.metadata, labels: { by: 'other' } } }));
    expect(await bench.pass('shelf')).toEqual({ next: 'backoff', atLeastMs: 0, afterMs: 60_000 });
    expect(bench.podNames()).toEqual(['a']);
  });

  it('reconcile() says that children are adopted when adoptions go on for more than 250 ms', async () => {
    const bench = new LoopBench();
    bench.api.put(Pod, strayPod('a'));
    bench.declare('shelf', { books: ['a', 'b'] });
    expect(await bench.pass('shelf')).toEqual({ next: 'again', afterMs: 0 });
    await bench.timers.advance(300);
    bench.api.put(Pod, strayPod('b'));
    bench.catchUp();
    expect(await bench.pass('shelf')).toEqual({ next: 'rest' });
    expect(bench.conditionOf('shelf', 'Reconciling')).toMatchObject({ status: 'True', reason: 'Restoring' });
  });
});
