import { describe, expect, it } from 'vitest';
import { Pod } from '#lib/kind/handles/reference.ts';
import { gate, live, started } from '#test/unit/support/controller-bench.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { settle } from '#test/unit/support/manual-timers.ts';
import { quotaExceeded } from '#test/unit/support/server-answers.ts';
import { shelf, shelfThat, strangersPod } from '#test/unit/support/shelf-kind.ts';

describe('Controller', () => {
  it('Controller brings about what is declared', async () => {
    const bench = new LoopBench();
    started(bench);
    bench.declare('shelf', { books: ['a', 'b'] });
    await live(bench, 500);
    expect(bench.podNames()).toEqual(['a', 'b']);
    expect(bench.conditionOf('shelf', 'Ready')?.status).toBe('True');
  });

  it('Controller begins nothing before start()', async () => {
    const bench = new LoopBench();
    const controller = bench.controller();
    bench.declare('shelf', { books: ['a'] });
    await live(bench, 500);
    expect(bench.api.requests).toEqual([]);
    controller.start();
    await live(bench, 500);
    expect(bench.podNames()).toEqual(['a']);
  });

  it('Controller wakes the controller of a child that changes', async () => {
    const bench = new LoopBench();
    started(bench);
    bench.declare('shelf', { books: ['a'] });
    await live(bench, 500);
    bench.api.vanish(Pod, 'a');
    await live(bench, 500);
    expect(bench.podNames()).toEqual(['a']);
  });

  it.each([
    { owners: [], reason: 'no resource' },
    {
      owners: [{ apiVersion: 'other.example.com/v1', kind: 'Shelf', name: 'shelf', uid: 'u', controller: true }],
      reason: 'a kind of the same name from another group',
    },
    {
      owners: [{ apiVersion: 'demo.example.com/v1', kind: 'Shelf', name: 'shelf', uid: 'u' }],
      reason: 'an owner that does not control',
    },
  ])('Controller does not look when an object changes that belongs to $reason', async ({ owners }) => {
    let calls = 0;
    const bench = new LoopBench(
      shelfThat((seen) => {
        calls += 1;
        return shelf.desired(seen);
      }),
    );
    started(bench);
    bench.declare('shelf', { books: [] });
    await live(bench, 500);
    const before = calls;
    bench.api.put(Pod, strangersPod('stray', { ownerReferences: owners }));
    await live(bench, 500);
    expect(calls).toBe(before);
  });

  it('Controller never works on one resource twice at once', async () => {
    const bench = new LoopBench();
    const { waiting, open } = gate(bench);
    started(bench);
    bench.declare('shelf', { books: ['a'] });
    await settle();
    bench.edit('shelf', { books: ['a', 'b'] });
    bench.catchUp();
    await settle();
    expect(waiting).toHaveLength(1);
    bench.api.before = () => undefined;
    await open();
    await live(bench, 500);
    expect(bench.podNames()).toEqual(['a', 'b']);
    expect(bench.statusOf('shelf')).toMatchObject({ observedGeneration: 2 });
  });

  it.each([{ concurrency: 1 }, { concurrency: 3 }])(
    'Controller works on $concurrency resources at once, and on all of them in the end',
    async ({ concurrency }) => {
      const bench = new LoopBench();
      const { waiting, open } = gate(bench);
      started(bench, { concurrency });
      for (let i = 0; i < 10; i += 1) bench.declare(`shelf-${i}`, { books: [`book-${i}`] });
      await settle();
      const atOnce: number[] = [];
      for (let turn = 0; turn < 60; turn += 1) {
        atOnce.push(waiting.length);
        await open();
        await live(bench, 50);
      }
      expect(Math.max(...atOnce)).toBe(concurrency);
      expect(bench.podNames()).toHaveLength(10);
    },
  );

  it('Controller acts upon a change of the spec that lands between a snapshot and its status write', async () => {
    const bench = new LoopBench();
    started(bench);
    let edited = false;
    bench.api.before = ({ verb }) => {
      if (verb !== 'patchStatus' || edited) return;
      edited = true;
      bench.edit('shelf', { books: ['late'] });
    };
    bench.declare('shelf', { books: [] });
    await live(bench, 1000);
    expect(bench.podNames()).toEqual(['late']);
    expect(bench.statusOf('shelf')).toMatchObject({ count: 1, observedGeneration: 2 });
  });

  it('Controller tries again, ever more rarely, for as long as a write is refused', async () => {
    const bench = new LoopBench();
    started(bench);
    bench.api.refuse = ({ verb, name }) => (verb === 'create' ? quotaExceeded(name) : undefined);
    bench.declare('shelf', { books: ['a'] });
    const tries = async (ms: number): Promise<number> => {
      const before = bench.api.requests.filter(({ verb }) => verb === 'create').length;
      await bench.timers.advance(ms);
      return bench.api.requests.filter(({ verb }) => verb === 'create').length - before;
    };
    const [soon, late, atLast] = [await tries(10_000), await tries(10_000), await tries(3_600_000)];
    expect(soon).toBeGreaterThan(late);
    expect(late).toBeGreaterThan(0);
    expect(atLast).toBeGreaterThan(10);
    expect(atLast).toBeLessThan(60);
    bench.api.refuse = () => undefined;
    await live(bench, 400_000);
    expect(bench.podNames()).toEqual(['a']);
  });

  it('Controller goes on with other resources when one cannot be brought about', async () => {
    const bench = new LoopBench(
      shelfThat((seen) => {
        if (seen.resource.metadata.name === 'odd') throw new Error('no');
        return shelf.desired(seen);
      }),
    );
    started(bench, { concurrency: 1 });
    bench.declare('odd', { books: [] });
    bench.declare('sound', { books: ['a'] });
    await live(bench, 500);
    expect(bench.conditionOf('sound', 'Ready')?.status).toBe('True');
    expect(bench.conditionOf('odd', 'Stalled')?.status).toBe('True');
  });

  it('stop() waits for the passes under way and begins no others', async () => {
    const bench = new LoopBench();
    const { waiting, open } = gate(bench);
    const controller = started(bench, { concurrency: 1 });
    bench.declare('first', { books: ['a'] });
    bench.declare('second', { books: ['b'] });
    await settle();
    let stopped = false;
    const stopping = controller.stop().then(() => (stopped = true));
    await settle();
    expect({ stopped, waiting: waiting.length }).toEqual({ stopped: false, waiting: 1 });
    await open();
    await stopping;
    await live(bench, 1000);
    expect(bench.podNames()).toEqual(['a']);
    expect(bench.api.requests.filter(({ verb }) => verb === 'create')).toHaveLength(1);
    expect(bench.timers.pending).toEqual([]);
  });
});
