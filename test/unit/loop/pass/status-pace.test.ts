import { describe, expect, it } from 'vitest';
import { ready } from '#lib/desired/state.ts';
import { paceAfter, type StatusPace, untilStatusIsDue } from '#lib/loop/pass/status-pace.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { shelfThat } from '#test/unit/support/shelf-kind.ts';

const fresh: StatusPace = { statusWrittenAt: -Infinity, flippedAt: [], answeredGeneration: 0 };
const generation = 1;

const afterFlips = (...moments: readonly number[]): StatusPace =>
  moments.reduce((pace, now) => paceAfter(pace, { flips: true, generation, now }), fresh);

describe('untilStatusIsDue()', () => {
  it.each([
    { pace: fresh, flips: false, now: 0, due: true, reason: 'nothing was written yet' },
    {
      pace: paceAfter(fresh, { flips: false, generation, now: 0 }),
      flips: false,
      now: 249,
      due: false,
      reason: 'progress is young',
    },
    {
      pace: paceAfter(fresh, { flips: false, generation, now: 0 }),
      flips: false,
      now: 250,
      due: true,
      reason: 'progress is due',
    },
    {
      pace: paceAfter(fresh, { flips: false, generation, now: 0 }),
      flips: true,
      now: 1,
      due: true,
      reason: 'somebody may wait for Ready',
    },
    { pace: afterFlips(0, 1, 2, 3), flips: true, now: 4, due: true, reason: 'Ready changed four times' },
    {
      pace: afterFlips(0, 1, 2, 3, 4),
      flips: true,
      now: 59_999,
      due: false,
      reason: 'Ready changed five times within a minute',
    },
    {
      pace: afterFlips(0, 1, 2, 3, 4),
      flips: true,
      now: 60_000,
      due: true,
      reason: 'the first of five changes is a minute old',
    },
    {
      pace: afterFlips(0, 1, 2, 3, 4, 60_000),
      flips: true,
      now: 60_001,
      due: true,
      reason: 'the second of six is a minute old',
    },
    { pace: afterFlips(0, 1, 2, 3, 4), flips: false, now: 300, due: true, reason: 'progress has a pace of its own' },
    {
      pace: afterFlips(0, 1, 2, 3, 4),
      flips: true,
      generation: 2,
      now: 5,
      due: true,
      reason: 'the spec was changed since the last one',
    },
    {
      pace: paceAfter(afterFlips(0, 1, 2, 3, 4), { flips: true, generation: 2, now: 5 }),
      flips: true,
      now: 6,
      due: true,
      reason: 'Ready changed once since the spec was changed',
    },
    {
      pace: paceAfter(afterFlips(0, 1, 2, 3, 4), { flips: false, generation: 2, now: 5 }),
      flips: true,
      now: 6,
      due: true,
      reason: 'Ready has not changed since the spec was changed',
    },
  ])('is due: $due, when $reason', ({ pace, flips, generation: about = 1, now, due }) => {
    expect(untilStatusIsDue(pace, { flips, generation: about, now }) <= 0).toBe(due);
  });
});

describe('reconcile()', () => {
  it('writes few statuses when somebody undoes each, and the right one in the end', async () => {
    const steady = shelfThat(() => ({ children: [], status: { count: 0 }, state: ready('Complete', 'all') }));
    const bench = new LoopBench(steady);
    const undo = { status: { conditions: null } };
    let undone = 0;
    bench.declare('novels', { books: [] });
    for (let second = 0; second < 60; second += 1) {
      await bench.pass('novels');
      if (bench.conditionOf('novels', 'Ready')?.status === 'True') {
        undone += 1;
        await bench.api.client.patchStatus(bench.kind, { namespace: 'default', name: 'novels' }, undo, {
          fieldManager: 'rival',
        });
      }
      bench.catchUp();
      await bench.timers.advance(1000);
    }
    expect(undone).toBe(5);
    await bench.timers.advance(60_000);
    await bench.converge('novels');
    expect(bench.conditionOf('novels', 'Ready')?.status).toBe('True');
  });
});
