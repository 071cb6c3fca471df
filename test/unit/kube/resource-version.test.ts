import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareResourceVersions } from '#lib/kube/interface/resource-version.ts';

describe('compareResourceVersions', () => {
  it('compareResourceVersions() orders as integers do when both are decimal, beyond 2^53, too', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 80n }), fc.bigInt({ min: 0n, max: 2n ** 80n }), (a, b) => {
        expect(Math.sign(compareResourceVersions(String(a), String(b)))).toBe(a < b ? -1 : Number(a > b));
      }),
    );
    expect(compareResourceVersions('9007199254740993', '9007199254740992')).toBeGreaterThan(0);
  });

  it('compareResourceVersions() is a total order when versions are opaque', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (a, b, c) => {
        const [ab, ba, bc, ac] = [
          compareResourceVersions(a, b),
          compareResourceVersions(b, a),
          compareResourceVersions(b, c),
          compareResourceVersions(a, c),
        ];
        expect(ab === 0).toBe(a === b);
        expect(Math.sign(ab) + Math.sign(ba)).toBe(0);
        expect(ab <= 0 && bc <= 0 && ac > 0).toBe(false);
      }),
    );
  });
});
