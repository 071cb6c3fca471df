import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs } from '#lib/loop/queue/backoff.ts';

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

const delayAt = (drawn: number): number => backoffMs(4, { initialMs: 100, maxMs: 300_000, random: () => drawn });

describe('backoffMs()', () => {
  it.each([
    { failures: 1, least: 50, most: 100, reason: 'the first failure' },
    { failures: 2, least: 100, most: 200, reason: 'it doubles' },
    { failures: 5, least: 800, most: 1600, reason: 'it doubles each time' },
    { failures: 100, least: 150_000, most: 300_000, reason: 'the cap is reached' },
    { failures: 1e9, least: 150_000, most: 300_000, reason: 'it never gives up and never overflows' },
  ])('backoffMs() lies between $least and $most after $failures failures ($reason)', ({ failures, least, most }) => {
    const options = { initialMs: 100, maxMs: 300_000 };
    expect(backoffMs(failures, { ...options, random: () => 0 })).toBe(least);
    expect(backoffMs(failures, { ...options, random: () => 1 - Number.EPSILON })).toBeCloseTo(most, 5);
  });

  it('backoffMs() lies in the upper half of a delay that doubles up to its cap', () => {
    const failures = fc.integer({ min: 1, max: 5000 });
    fc.assert(
      fc.property(failures, random, fc.integer({ min: 1, max: 1000 }), (count, drawn, initialMs) => {
        const nominal = Math.min(60_000, initialMs * 2 ** (count - 1));
        const delayMs = backoffMs(count, { initialMs, maxMs: 60_000, random: () => drawn });
        expect(delayMs).toBeGreaterThanOrEqual(nominal / 2);
        expect(delayMs).toBeLessThanOrEqual(nominal);
      }),
    );
  });

  it('backoffMs() spreads what failed together', () => {
    expect([delayAt(0), delayAt(0.25), delayAt(0.5)]).toEqual([400, 500, 600]);
  });
});
