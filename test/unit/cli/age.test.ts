import { describe, expect, it } from 'vitest';
import { ageOf, lasting } from '#lib/cli/objects/age.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe('lasting()', () => {
  it.for([
    [-1, '0s'],
    [119 * SECOND, '119s'],
    [2 * MINUTE, '2m'],
    [3 * MINUTE + 20 * SECOND, '3m20s'],
    [59 * MINUTE, '59m'],
    [3 * HOUR + 5 * MINUTE, '3h5m'],
    [47 * HOUR, '47h'],
    [51 * HOUR, '2d3h'],
    [9 * 24 * HOUR, '9d'],
  ] as const)('writes %d ms as kubectl does', ([ms, text]) => {
    expect(lasting(ms)).toBe(text);
  });
});

describe('ageOf()', () => {
  it('does not know the age of what has no time', () => {
    expect(ageOf('2024-01-01T00:00:00Z', Date.parse('2024-01-01T00:00:05Z'))).toBe('5s');
    expect(ageOf(undefined, 0)).toBe('<unknown>');
    expect(ageOf('soon', 0)).toBe('<unknown>');
  });
});
