import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fencepostsOf } from '#lib/workload/fenceposts.ts';

const of = (replicas: number, maxSurge: number | string, maxUnavailable: number | string) => {
  const { surge, unavailable } = fencepostsOf({ replicas, maxSurge, maxUnavailable });
  return `${surge} ${unavailable}`;
};

describe('fencepostsOf()', () => {
  it('fencepostsOf() rounds surge up and unavailable down when they are percentages', () => {
    expect([of(10, '25%', 0), of(10, '25%', '25%'), of(7, '1%', '99%')]).toEqual(['3 0', '3 2', '1 6']);
  });

  it('fencepostsOf() lets one pod be missing when both round to nothing', () => {
    expect([of(3, 0, '25%'), of(1, '0%', '50%'), of(0, '25%', 0)]).toEqual(['0 1', '0 1', '0 0']);
  });

  it('fencepostsOf() never lets more pods be missing than there are wanted', () => {
    expect(of(2, 0, 5)).toBe('0 2');
  });

  it('fencepostsOf() rounds exactly when floating point would not', () => {
    const cases = fc.tuple(fc.nat(3000), fc.integer({ min: 0, max: 999 }), fc.nat(100));
    fc.assert(
      fc.property(cases, ([replicas, most, least]) => {
        const { surge, unavailable } = fencepostsOf({ replicas, maxSurge: `${most}%`, maxUnavailable: `${least}%` });
        const [up, down] = [(BigInt(replicas * most) + 99n) / 100n, BigInt(replicas * least) / 100n];
        expect(BigInt(surge)).toBe(up);
        expect(BigInt(unavailable)).toBe(up + down === 0n && replicas > 0 ? 1n : down);
      }),
    );
  });
});
