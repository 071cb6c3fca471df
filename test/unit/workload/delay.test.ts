import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { delayAfter } from '#lib/workload/delay.ts';

const settings = { initialSeconds: 10, maxSeconds: 300 };

describe('delayAfter()', () => {
  it('delayAfter() doubles from the initial delay to the maximum, as the kubelet does', () => {
    const delays = [0, 1, 2, 3, 4, 5, 6, 7, 1000].map((failures) => delayAfter(failures, settings));
    expect(delays).toEqual([0, 10, 20, 40, 80, 160, 300, 300, 300]);
  });

  it('delayAfter() is zero when the initial delay is', () => {
    expect(delayAfter(9, { ...settings, initialSeconds: 0 })).toBe(0);
  });

  it('delayAfter() never exceeds the maximum, and never shrinks, however many failures there were', () => {
    const cases = fc.tuple(fc.nat(10_000), fc.nat(3600), fc.integer({ min: 1, max: 86_400 }));
    fc.assert(
      fc.property(cases, ([failures, initialSeconds, maxSeconds]) => {
        const [one, next] = [failures, failures + 1].map((n) => delayAfter(n, { initialSeconds, maxSeconds }));
        expect(next).toBeLessThanOrEqual(maxSeconds);
        expect(next).toBeGreaterThanOrEqual(one ?? 0);
      }),
    );
  });
});
