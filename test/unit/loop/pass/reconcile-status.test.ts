import { describe, expect, it } from 'vitest';
import { instantOf, microsOf } from '#lib/desired/clock.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { progressing, ready, stalled } from '#lib/desired/result/state.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { quotaExceeded } from '#test/unit/support/server-answers.ts';
import { bookPod, type ShelfAnswer, shelf, shelfThat } from '#test/unit/support/shelf-kind.ts';

/** A shelf whose function returns the last answer of the test. The loop must call this function in every pass. */
const scripted = (first: ShelfAnswer) => {
  let answer = first;
  const bench = new LoopBench(
    shelfThat(({ clock }) => {
      clock.now();
      return answer;
    }),
  );
  bench.declare('shelf', { books: [] });
  return { bench, say: (next: ShelfAnswer) => void (answer = next) };
};

const filling = (count: number): ShelfAnswer => ({
  children: [],
  status: { count },
  state: progressing('Filling', `${count} books`),
});

const full = (count: number): ShelfAnswer => ({ ...filling(count), state: ready('Complete', `${count} books`) });

/** A shelf that is ready once all of the instants have come. */
const waiting = (...instants: string[]): LoopBench => {
  const bench = new LoopBench(
    shelfThat(({ clock }) => (instants.map((at) => clock.reached(at)).includes(false) ? filling(0) : full(0))),
  );
  bench.declare('shelf', { books: [] });
  return bench;
};

describe('reconcile()', () => {
  it('reconcile() writes progress at once when nothing was written lately', async () => {
    const { bench } = scripted(filling(1));
    expect(await bench.pass('shelf')).toEqual({ next: 'rest' });
    expect(bench.statusOf('shelf')).toMatchObject({ count: 1 });
  });

  it('reconcile() delays further progress until 250 ms after the last write', async () => {
    const { bench, say } = scripted(filling(1));
    await bench.pass('shelf');
    await bench.timers.advance(100);
    say(filling(2));
    expect(await bench.pass('shelf')).toEqual({ next: 'again', afterMs: 150 });
    await bench.timers.advance(149);
    expect(await bench.pass('shelf')).toEqual({ next: 'again', afterMs: 1 });
    expect(bench.statusOf('shelf')).toMatchObject({ count: 1 });
    await bench.timers.advance(1);
    expect(await bench.pass('shelf')).toEqual({ next: 'rest' });
    expect(bench.statusOf('shelf')).toMatchObject({ count: 2 });
  });

  it('reconcile() joins what happens within 250 ms into one write', async () => {
    const { bench, say } = scripted(filling(0));
    await bench.pass('shelf');
    for (let count = 1; count <= 20; count += 1) {
      say(filling(count));
      await bench.pass('shelf');
      await bench.timers.advance(10);
    }
    await bench.timers.advance(50);
    await bench.pass('shelf');
    expect(bench.statusOf('shelf')).toMatchObject({ count: 20 });
    expect(bench.api.requests).toHaveLength(2);
  });

  it.each([
    { from: filling(1), to: full(1), reason: 'it becomes ready' },
    { from: full(1), to: filling(0), reason: 'it is ready no longer' },
  ])('reconcile() delays nothing when $reason', async ({ from, to }) => {
    const { bench, say } = scripted(from);
    await bench.pass('shelf');
    say(to);
    expect(await bench.pass('shelf')).toEqual({ next: 'rest' });
    expect(bench.statusOf('shelf')).toMatchObject({ count: to.status.count });
  });

  it('reconcile() delays the status by no more than 250 ms when the wall clock is set back', async () => {
    const { bench, say } = scripted(filling(1));
    await bench.pass('shelf');
    bench.timers.stepWallClock(-3_600_000);
    say(filling(2));
    const result = await bench.pass('shelf');
    expect(result.next === 'again' ? result.afterMs : 0).toBeLessThanOrEqual(250);
  });

  it('reconcile() never gives a function an earlier instant than before when the wall clock is set back', async () => {
    const instants: string[] = [];
    const bench = new LoopBench(
      shelfThat((seen) => {
        instants.push(seen.clock.now());
        return full(0);
      }),
    );
    bench.declare('shelf', { books: [] });
    await bench.pass('shelf');
    bench.timers.stepWallClock(-3_600_000);
    await bench.pass('shelf');
    expect(instants).toEqual(instants.toSorted());
  });

  it('reconcile() removes what the function no longer reports', async () => {
    const { bench, say } = scripted({ ...full(1), status: { count: 1, note: 'temporary' } });
    await bench.pass('shelf');
    expect(bench.statusOf('shelf')).toHaveProperty('note', 'temporary');
    say(full(1));
    await bench.timers.advance(250);
    await bench.pass('shelf');
    expect(bench.statusOf('shelf')).not.toHaveProperty('note');
  });

  it('reconcile() reports the generation that it acted upon', async () => {
    const { bench } = scripted(full(0));
    await bench.pass('shelf');
    bench.edit('shelf', { books: ['a'] });
    bench.catchUp();
    await bench.timers.advance(250);
    await bench.pass('shelf');
    expect(bench.statusOf('shelf')).toMatchObject({ observedGeneration: 2 });
    expect(bench.conditionOf('shelf', 'Ready')).toMatchObject({ observedGeneration: 2 });
  });

  it('reconcile() keeps the transition time of a condition while its status stays', async () => {
    const { bench, say } = scripted(filling(1));
    await bench.pass('shelf');
    await bench.timers.advance(60_000);
    say(filling(2));
    await bench.pass('shelf');
    expect(bench.conditionOf('shelf', 'Ready')).toMatchObject({
      message: '2 books',
      lastTransitionTime: '2026-11-21T09:30:00Z',
    });
    await bench.timers.advance(60_000);
    say(full(2));
    await bench.pass('shelf');
    expect(bench.conditionOf('shelf', 'Ready')?.lastTransitionTime).toBe('2026-11-21T09:32:00Z');
  });

  it('reconcile() is ready no more and says why when a child cannot be removed', async () => {
    const bench = new LoopBench();
    bench.declare('shelf', { books: ['a'] });
    await bench.converge('shelf');
    bench.api.refuse = ({ verb, name }) => (verb === 'delete' ? quotaExceeded(name) : undefined);
    bench.edit('shelf', { books: [] });
    bench.catchUp();
    await bench.pass('shelf');
    expect(bench.conditionOf('shelf', 'Ready')?.status).toBe('False');
  });

  it('reconcile() stays stalled when the function says so and a write is refused besides', async () => {
    const { bench } = scripted({ ...filling(0), children: [apply(bookPod('a'))], state: stalled('BadSpec', 'no') });
    bench.api.refuse = ({ verb, name }) => (verb === 'create' ? quotaExceeded(name) : undefined);
    await bench.pass('shelf');
    expect(bench.conditionOf('shelf', 'Stalled')).toMatchObject({ status: 'True', reason: 'BadSpec' });
  });
});

describe('reconcile() and awaited instants', () => {
  const start = microsOf('2026-11-21T09:30:00Z');

  it.each([
    { offsets: [2_000_000], afterMs: 2000, reason: 'it is two seconds ahead' },
    { offsets: [5_000_000, 2_000_000, -1], afterMs: 2000, reason: 'it is the earliest ahead' },
    { offsets: [1], afterMs: 0.001, reason: 'it is a microsecond ahead' },
  ])(
    'reconcile() looks again after $afterMs ms when an instant is awaited and $reason',
    async ({ offsets, afterMs }) => {
      const bench = waiting(...offsets.map((offset) => instantOf(start + offset)));
      expect(await bench.pass('shelf')).toEqual({ next: 'again', afterMs });
    },
  );

  it('reconcile() finds the instant reached when it looks again at that time', async () => {
    const bench = waiting('2026-11-21T09:30:02Z');
    const result = await bench.pass('shelf');
    await bench.timers.advance(result.next === 'again' ? result.afterMs : 0);
    expect(await bench.pass('shelf')).toEqual({ next: 'rest' });
    expect(bench.conditionOf('shelf', 'Ready')?.status).toBe('True');
  });

  it('reconcile() looks again at the earlier of an instant and a delayed status', async () => {
    let count = 0;
    const bench = new LoopBench(
      shelfThat(({ clock }) => {
        clock.reached('2026-11-21T09:30:02Z');
        return filling(count);
      }),
    );
    bench.declare('shelf', { books: [] });
    await bench.pass('shelf');
    count = 1;
    expect(await bench.pass('shelf')).toEqual({ next: 'again', afterMs: 250 });
  });

  it('reconcile() looks again at once, whatever is awaited, when it has created children', async () => {
    const bench = new LoopBench(
      shelfThat((seen) => {
        seen.clock.reached('2026-11-21T10:30:00Z');
        return shelf.desired(seen);
      }),
    );
    bench.declare('shelf', { books: ['a'] });
    expect(await bench.pass('shelf')).toEqual({ next: 'again', afterMs: 0 });
    expect(await bench.pass('shelf')).toEqual({ next: 'again', afterMs: 3_600_000 });
    expect(bench.api.all(Pod)).toHaveLength(1);
  });
});
