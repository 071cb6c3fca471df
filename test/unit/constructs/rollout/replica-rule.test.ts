import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitOf } from '#constructs/rollout/engine/pods/replica-rule.ts';

const pair = (percent: number, replicas: number, surge = 1): string => {
  const { canary, stable } = splitOf(percent, { replicas, surge });
  return `${canary}/${stable}`;
};

describe('splitOf()', () => {
  it('splitOf() gives 1/9, 3/7, 6/4 and 10/0 when ten replicas take the classic steps', () => {
    expect([10, 30, 60, 100].map((percent) => pair(percent, 10))).toEqual(['1/9', '3/7', '6/4', '10/0']);
  });

  it('splitOf() counts percent of the replicas when there are not ten of them', () => {
    expect([0, 10, 30, 60, 100].map((percent) => pair(percent, 20))).toEqual(['0/20', '2/18', '6/14', '12/8', '20/0']);
  });

  it('splitOf() counts half a pod as one, exactly, when floating point would not', () => {
    expect(pair(14, 25)).toBe('4/21');
    for (let replicas = 2; replicas <= 200; replicas += 1) {
      for (let percent = 1; percent < 100; percent += 1) {
        const exact = (BigInt(2 * replicas * percent) + 100n) / 200n;
        const inner = Math.min(Math.max(Number(exact), 1), replicas - 1);
        expect(splitOf(percent, { replicas, surge: 1 }).canary).toBe(inner);
      }
    }
  });

  it('splitOf() leaves neither side without a pod when a step is between 0 and 100 percent', () => {
    expect([1, 99].map((percent) => pair(percent, 2))).toEqual(['1/1', '1/1']);
    expect([1, 99].map((percent) => pair(percent, 10))).toEqual(['1/9', '9/1']);
  });

  it('splitOf() runs both versions when one replica has room for two', () => {
    expect([0, 1, 99, 100].map((percent) => pair(percent, 1))).toEqual(['0/1', '1/1', '1/1', '1/0']);
  });

  it('splitOf() takes the nearer end when one replica has no room for two', () => {
    expect([1, 49, 50, 99].map((percent) => pair(percent, 1, 0))).toEqual(['0/1', '0/1', '1/0', '1/0']);
  });

  it('splitOf() gives nothing to anybody when there are no replicas', () => {
    expect([0, 50, 100].map((percent) => pair(percent, 0))).toEqual(['0/0', '0/0', '0/0']);
  });

  it('splitOf() never lowers the canary when the percentage rises', () => {
    const cases = fc.tuple(fc.nat(100), fc.nat(100), fc.nat(3000), fc.nat(2));
    fc.assert(
      fc.property(cases, ([a, b, replicas, surge]) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)].map((it) => splitOf(it, { replicas, surge }).canary);
        expect(low).toBeLessThanOrEqual(high ?? 0);
      }),
    );
  });
});
