import { describe, expect, it } from 'vitest';
import { ageOf, lasting } from '#lib/cli/objects/age.ts';

describe('lasting()', () => {
  it('lasting() counts what is below zero as none', () => {
    expect([lasting(-60_000), lasting(200_000)]).toEqual(['0s', '3m20s']);
  });
});

describe('ageOf()', () => {
  it('ageOf() does not know the age of what has no time', () => {
    expect(ageOf('2024-01-01T00:00:00Z', Date.parse('2024-01-01T00:00:05Z'))).toBe('5s');
    expect(ageOf(undefined, 0)).toBe('<unknown>');
    expect(ageOf('soon', 0)).toBe('<unknown>');
  });
});
