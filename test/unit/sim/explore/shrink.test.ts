import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shrinkList } from '#lib/sim/explore/shrink.ts';

/** Shrinks a list that fails as long as it contains all culprits in order. @returns the shrunk list, and the number of tries */
const shrink = async (items: readonly number[], culprits: readonly number[], maxTries = Infinity) => {
  let tries = 0;
  const fails = async (shorter: readonly number[]): Promise<boolean> => {
    tries += 1;
    let found = 0;
    for (const item of shorter) if (item === culprits[found]) found += 1;
    return found === culprits.length;
  };
  const result = await shrinkList(items, { fails, mayTry: () => tries < maxTries });
  return { result, tries };
};

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe('shrinkList()', () => {
  it('shrinkList() finds exactly the items that matter, in their order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 60 }),
        fc.array(fc.nat(59), { maxLength: 5 }),
        async (length, some) => {
          const culprits = [...new Set(some)].filter((item) => item < length).toSorted((a, b) => a - b);
          const { result } = await shrink(upTo(length), culprits);
          expect(result).toEqual(culprits);
        },
      ),
    );
  });

  it('shrinkList() gives nothing when it fails anyway, at the first try', async () => {
    expect(await shrink(upTo(100), [])).toEqual({ result: [], tries: 1 });
  });

  it('shrinkList() needs few tries for few culprits among many items', async () => {
    const { result, tries } = await shrink(upTo(1000), [17, 800]);
    expect(result).toEqual([17, 800]);
    expect(tries).toBeLessThan(100);
  });

  it('shrinkList() stops with what it has when no more tries are allowed', async () => {
    const { result, tries } = await shrink(upTo(100), [3, 50, 99], 5);
    expect(tries).toBeLessThanOrEqual(5);
    expect(result).toEqual(expect.arrayContaining([3, 50, 99]));
    expect(result.length).toBeLessThanOrEqual(100);
  });

  it('shrinkList() is deterministic', async () => {
    expect(await shrink(upTo(64), [5, 6, 40])).toEqual(await shrink(upTo(64), [5, 6, 40]));
  });
});
