import { describe, expect, it } from 'vitest';
import { apply } from '#lib/desired/result/intent.ts';
import { progressing, ready } from '#lib/desired/result/state.ts';
import { gate, live, started } from '#test/unit/support/controller-bench.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { settle } from '#test/unit/support/manual-timers.ts';
import { quotaExceeded } from '#test/unit/support/server-answers.ts';
import { bookPod, shelfThat } from '#test/unit/support/shelf-kind.ts';

describe('Controller', () => {
  it('Controller looks again when an awaited instant comes, not before', async () => {
    const bench = new LoopBench(
      shelfThat(({ clock }) => ({
        children: [],
        status: { count: 0 },
        state: clock.reached('2026-11-21T09:40:00Z') ? ready('Done', 'done') : progressing('Waiting', 'waiting'),
      })),
    );
    started(bench);
    bench.declare('shelf', { books: [] });
    await bench.timers.advance(599_999);
    expect(bench.conditionOf('shelf', 'Ready')?.status).toBe('False');
    await bench.timers.advance(1);
    expect(bench.conditionOf('shelf', 'Ready')?.status).toBe('True');
  });

  it('Controller looks again when an awaited instant comes although writes are being refused', async () => {
    let looksAfterInstant = 0;
    const bench = new LoopBench(
      shelfThat(({ clock }) => {
        if (clock.reached('2026-11-21T10:00:01Z')) looksAfterInstant += 1;
        return { children: [apply(bookPod('a'))], status: { count: 0 }, state: progressing('Waiting', 'waiting') };
      }),
    );
    bench.api.refuse = ({ verb, name }) => (verb === 'create' ? quotaExceeded(name) : undefined);
    started(bench);
    bench.declare('shelf', { books: [] });
    await bench.timers.advance(30 * 60_000);
    expect(looksAfterInstant).toBe(0);
    await bench.timers.advance(1000);
    expect(looksAfterInstant).toBeGreaterThan(0);
  });

  it('Controller keeps no delay of an earlier pass when the resource changed during it', async () => {
    let calls = 0;
    const bench = new LoopBench(
      shelfThat(({ resource, clock }) => {
        calls += 1;
        if (resource.metadata.generation === 1) clock.reached('2026-11-21T09:31:00Z');
        return { children: [], status: { count: 0 }, state: ready('Fine', 'fine') };
      }),
    );
    const { open } = gate(bench);
    started(bench);
    bench.declare('shelf', { books: [] });
    await settle();
    bench.edit('shelf', { books: ['a'] });
    bench.catchUp();
    bench.api.before = () => undefined;
    await open();
    await live(bench, 1000);
    const before = calls;
    await live(bench, 120_000);
    expect(calls).toBe(before);
  });

  it('Controller writes the status within 250 ms although writes are being refused', async () => {
    const bench = new LoopBench(
      shelfThat(({ resource }) => ({
        children: [apply(bookPod('a'))],
        status: { count: resource.spec.books.length },
        state: progressing('Waiting', 'waiting'),
      })),
    );
    bench.api.refuse = ({ verb, name }) => (verb === 'create' ? quotaExceeded(name) : undefined);
    started(bench);
    bench.declare('shelf', { books: [] });
    await bench.timers.advance(3_600_000);
    for (const books of [['a'], ['a', 'b']]) {
      bench.edit('shelf', { books });
      bench.catchUp();
      await bench.timers.advance(100);
    }
    await bench.timers.advance(250);
    expect(bench.statusOf('shelf')).toMatchObject({ count: 2, observedGeneration: 3 });
  });
});
