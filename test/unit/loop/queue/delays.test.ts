import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Key, keyOf } from '#lib/loop/context/key.ts';
import { Delays } from '#lib/loop/queue/delays.ts';
import { ManualTimers } from '#test/unit/support/manual-timers.ts';

const keyAt = (index: number): Key => keyOf('n', `${index}`);

describe('Delays', () => {
  it('Delays gives each key at its earliest moment, in order, and of none that was ended', () => {
    const change = fc.record({ index: fc.nat({ max: 60 }), ms: fc.option(fc.nat({ max: 1000 })) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 200, size: 'max' }), (changes) => {
        const timers = new ManualTimers(0);
        const due: { key: Key; atMs: number }[] = [];
        const delays = new Delays({ timers, onDue: (key) => due.push({ key, atMs: timers.elapsed() }) });
        const expected = new Map<Key, number>();
        for (const { index, ms } of changes) {
          const key = keyAt(index);
          if (ms === null) {
            delays.delete(key);
            expected.delete(key);
          } else {
            delays.set(key, ms, 'child');
            expected.set(key, Math.min(ms, expected.get(key) ?? Infinity));
          }
        }
        expect(delays.size).toBe(expected.size);
        timers.elapse(1000);
        const moments = due.map(({ atMs }) => atMs);
        expect(moments).toEqual(moments.toSorted((a, b) => a - b));
        expect(new Map(due.map(({ key, atMs }) => [key, atMs]))).toEqual(expected);
        expect({ due: due.length, left: delays.size }).toEqual({ due: expected.size, left: 0 });
      }),
    );
  });
});
