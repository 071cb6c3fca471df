import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomOf } from '#lib/sim/world/step/random.ts';

const seeds = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });

const take = (count: number, next: () => number): number[] => Array.from({ length: count }, next);

describe('randomOf()', () => {
  it('randomOf() gives the same numbers for the same seed, all of them in [0, 1)', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const numbers = take(20, randomOf(seed).next);
        expect(take(20, randomOf(seed).next)).toEqual(numbers);
        expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
      }),
    );
  });

  it('below() gives integers in [0, bound)', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 1, max: 1000 }), (seed, bound) => {
        const random = randomOf(seed);
        const numbers = take(20, () => random.below(bound));
        expect(numbers.every((number) => Number.isInteger(number) && number >= 0 && number < bound)).toBe(true);
      }),
    );
  });

  it('randomOf() spreads evenly: each tenth holds near a tenth of the numbers, also over consecutive seeds', () => {
    const one = randomOf(1);
    for (const numbers of [take(10_000, one.next), take(10_000, () => 0).map((_, seed) => randomOf(seed).next())]) {
      const tenths = Array.from({ length: 10 }, (_, tenth) => {
        return numbers.filter((number) => Math.floor(number * 10) === tenth).length;
      });
      expect(Math.min(...tenths)).toBeGreaterThan(850);
      expect(Math.max(...tenths)).toBeLessThan(1150);
    }
  });

  it('fork() gives a source of its own, whatever was taken from the first one before', () => {
    const [fresh, used] = [randomOf(7), randomOf(7)];
    take(5, used.next);
    const numbers = take(5, fresh.fork('a').next);
    expect(take(5, used.fork('a').next)).toEqual(numbers);
    expect(take(5, fresh.fork('b').next)).not.toEqual(numbers);
    expect(take(5, fresh.next)).toEqual(take(5, randomOf(7).next));
  });
});
