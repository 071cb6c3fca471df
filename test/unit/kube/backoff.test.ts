import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Backoff } from '#lib/kube/reflector/backoff.ts';

const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('Backoff', () => {
  it('next() stays between 0 and min(max, base * 2^n) when it is asked n times', () => {
    fc.assert(
      fc.property(fc.array(unit, { minLength: 1, maxLength: 40 }), (rolls) => {
        const left = rolls.values();
        const backoff = new Backoff({ baseMs: 800, maxMs: 30_000, random: () => left.next().value ?? 0 });
        rolls.forEach((roll, n) => {
          const bound = Math.min(30_000, 800 * 2 ** n);
          expect(backoff.next()).toBeCloseTo(roll * bound, 6);
        });
      }),
    );
  });

  it('reset() starts again at the base when delays had grown', () => {
    const backoff = new Backoff({ baseMs: 800, maxMs: 30_000, random: () => 0.5 });
    expect([backoff.next(), backoff.next(), backoff.next()]).toEqual([400, 800, 1600]);
    backoff.reset();
    expect(backoff.next()).toBe(400);
  });
});
