import { describe, expect, it } from 'vitest';
import { fingerprintOf } from '#lib/sim/explore/fingerprint.ts';

const NOW_MS = Date.UTC(2026, 0, 1, 12);

const of = (state: unknown, options: Partial<Parameters<typeof fingerprintOf>[1]> = {}): string =>
  fingerprintOf(state, { nowMs: NOW_MS, versions: 'rank', ...options });

const pod = (resourceVersion: string, more: object = {}) => ({ metadata: { uid: 'u', resourceVersion }, ...more });

describe('fingerprintOf()', () => {
  it('fingerprintOf() sees the order of versions and not their numbers', () => {
    const before = of([pod('5'), { seenThrough: '7' }, 'u@5']);
    expect(of([pod('105'), { seenThrough: '207' }, 'u@105'])).toBe(before);
    expect(of([pod('7'), { seenThrough: '5' }, 'u@7'])).not.toBe(before);
    expect(of([pod('5'), { seenThrough: '5' }, 'u@5'])).not.toBe(before);
  });

  it('fingerprintOf() sees how far versions lie apart when it is asked to', () => {
    const distance = { versions: 'distance' } as const;
    const before = of([pod('5'), pod('7')], distance);
    expect(of([pod('15'), pod('17')], distance)).toBe(before);
    expect(of([pod('5'), pod('8')], distance)).not.toBe(before);
  });

  it('fingerprintOf() sees times as they lie from now', () => {
    const before = of({ at: '2026-01-01T11:59:00Z' });
    expect(of({ at: '2026-01-01T12:59:00.000000Z' }, { nowMs: NOW_MS + 3_600_000 })).toBe(before);
    expect(of({ at: '2026-01-01T11:59:00Z' }, { nowMs: NOW_MS + 1000 })).not.toBe(before);
  });

  it('fingerprintOf() does not look into objects that no run has changed', () => {
    const initial = { initialVersion: '5' };
    expect(of(pod('5', { spec: 1 }), initial)).toBe(of(pod('5', { spec: 2 }), initial));
    expect(of(pod('6', { spec: 1 }), initial)).not.toBe(of(pod('6', { spec: 2 }), initial));
  });

  it.each([
    [{ a: 1 }, { a: '1' }],
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    [
      [1, [2]],
      [[1], 2],
    ],
    [['a', 'b'], ['a,b']],
    [{ a: undefined }, { a: null }],
    [{ a: {} }, { a: [] }],
    [
      ['x', 'y'],
      ['y', 'x'],
    ],
  ])('fingerprintOf() distinguishes %j from %j', (one, other) => {
    expect(of(one)).not.toBe(of(other));
  });
});
