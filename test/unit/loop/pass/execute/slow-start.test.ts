import { describe, expect, it } from 'vitest';
import { inSlowStart } from '#lib/loop/pass/execute/slow-start.ts';

/** Number of started tasks of `count`, when those with an index from `failsFrom` on fail. */
const started = async (count: number, failsFrom = Infinity): Promise<number> =>
  inSlowStart(Array.from({ length: count }, (_, index) => async () => index < failsFrom));

describe('inSlowStart()', () => {
  it.each([
    { count: 0, expected: 0, reason: 'there is nothing to do' },
    { count: 3, expected: 3, reason: 'all fit the first batch' },
    { count: 1000, expected: 1000, reason: 'all went well' },
  ])('inSlowStart() starts $expected of $count tasks when $reason', async ({ count, expected }) => {
    expect(await started(count)).toBe(expected);
  });

  it.each([
    { failsFrom: 0, expected: 4, reason: 'the first fails' },
    { failsFrom: 3, expected: 4, reason: 'one of the first batch fails' },
    { failsFrom: 4, expected: 12, reason: 'the second batch fails' },
    { failsFrom: 12, expected: 28, reason: 'the third batch fails' },
    { failsFrom: 28, expected: 44, reason: 'the fourth batch, which is not larger, fails' },
    { failsFrom: 999, expected: 1000, reason: 'the last fails' },
  ])('inSlowStart() starts $expected of 1000 tasks when $reason', async ({ failsFrom, expected }) => {
    expect(await started(1000, failsFrom)).toBe(expected);
  });

  it.each([
    { failsFrom: 0, expected: 1 },
    { failsFrom: 1, expected: 5 },
    { failsFrom: 5, expected: 13 },
  ])(
    'inSlowStart() lets one task go ahead when it is probing: $expected of 1000 when those from $failsFrom on fail',
    async ({ failsFrom, expected }) => {
      const tasks = Array.from({ length: 1000 }, (_, index) => async () => index < failsFrom);
      expect(await inSlowStart(tasks, { isProbing: true })).toBe(expected);
    },
  );

  it('inSlowStart() starts no further batch when it must not go on', async () => {
    let done = 0;
    const tasks = Array.from({ length: 100 }, () => async () => {
      done += 1;
      return true;
    });
    expect(await inSlowStart(tasks, { goOn: () => done < 12 })).toBe(12);
    expect(await inSlowStart(tasks, { goOn: () => false })).toBe(0);
  });

  it('inSlowStart() lets the tasks of a batch overlap, and never more than 16', async () => {
    const atOnce: number[] = [];
    let under = 0;
    const tasks = Array.from({ length: 300 }, () => async () => {
      under += 1;
      atOnce.push(under);
      await Promise.resolve();
      under -= 1;
      return true;
    });
    await inSlowStart(tasks);
    expect(atOnce.slice(0, 12)).toEqual([1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(Math.max(...atOnce)).toBe(16);
  });
});
