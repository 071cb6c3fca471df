import { describe, expect, it } from 'vitest';
import { ready } from '#lib/desired/result/state.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import { inspectMemory } from '#lib/loop/context/memory.ts';
import { paceAfter, paceSlot, type StatusPace, untilStatusIsDue } from '#lib/loop/pass/report/status-pace.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { shelfThat } from '#test/unit/support/shelf-kind.ts';

const fresh: StatusPace = { statusWrittenAt: -Infinity, flippedAt: [] };
const after = (flips: boolean): StatusPace => paceAfter(fresh, { flips, now: 0 });
const twice = paceAfter(after(true), { flips: true, now: 10 });

describe('untilStatusIsDue()', () => {
  it.each([
    { pace: fresh, flips: false, now: 0, due: true, reason: 'nothing was written yet' },
    { pace: after(false), flips: false, now: 249, due: false, reason: 'progress is young' },
    { pace: after(false), flips: false, now: 250, due: true, reason: 'progress is due' },
    { pace: after(false), flips: true, now: 1, due: true, reason: 'a change of Ready does not wait for progress' },
    { pace: after(true), flips: true, now: 1, due: true, reason: 'Ready changed once of late' },
    { pace: twice, flips: true, now: 499, due: false, reason: 'Ready changed twice within half a second' },
    { pace: twice, flips: true, now: 500, due: true, reason: 'the first of two changes is half a second ago' },
    { pace: after(true), flips: false, now: 249, due: false, reason: 'a change of Ready is a write as well' },
  ])('is due: $due, when $reason', ({ pace, flips, now, due }) => {
    expect(untilStatusIsDue(pace, { flips, now }) <= 0).toBe(due);
  });
});

it('paceAfter() keeps only the times of the last two writes that changed Ready', () => {
  expect(paceAfter(twice, { flips: true, now: 20 })).toEqual({ statusWrittenAt: 20, flippedAt: [10, 20] });
});

it.each([
  { flips: false, is: { statusWrittenAt: '1970-01-01T00:00:00.000000Z' } },
  {
    flips: true,
    is: { statusWrittenAt: '1970-01-01T00:00:00.000000Z', flippedAt: ['1970-01-01T00:00:00.000000Z'] },
  },
])('paceSlot shows the times of the last writes as text, flips: $flips', ({ flips, is }) => {
  const memory = new Map();
  paceSlot.set({ memory }, { key: keyOf('default', 'web'), uid: 'u' }, after(flips));
  expect(inspectMemory({ memory })).toEqual({ 'default/web': { uid: 'u', statusPace: is } });
});

describe('reconcile()', () => {
  it('writes few statuses when another writer reverts each, and the right one in the end', async () => {
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
    expect(undone).toBeGreaterThan(5);
    expect(undone).toBeLessThan(15);
    await bench.timers.advance(300_000);
    await bench.converge('novels');
    expect(bench.conditionOf('novels', 'Ready')?.status).toBe('True');
  });
});
