import { describe, expect, it } from 'vitest';
import { isDns1123Label, isDnsLabel } from '#lib/kind/dns.ts';

describe('isDns1123Label()', () => {
  it.each([
    { name: 'a', valid: true, reason: 'it is a letter' },
    { name: '1-a', valid: true, reason: 'it starts with a digit' },
    { name: 'a'.repeat(63), valid: true, reason: 'it is as long as a label may be' },
    { name: 'a'.repeat(64), valid: false, reason: 'it is too long' },
    { name: '', valid: false, reason: 'it is empty' },
    { name: '-a', valid: false, reason: 'it starts with a dash' },
    { name: 'a-', valid: false, reason: 'it ends with a dash' },
    { name: 'a.b', valid: false, reason: 'it has a dot' },
    { name: 'A', valid: false, reason: 'it has a capital' },
    { name: 'a\n', valid: false, reason: 'it ends with a line break' },
  ])('isDns1123Label() is $valid when $reason', ({ name, valid }) => {
    expect(isDns1123Label(name)).toBe(valid);
  });

  it('isDns1123Label() takes a digit at the start, which isDnsLabel() does not', () => {
    expect([isDns1123Label('1a'), isDnsLabel('1a')]).toEqual([true, false]);
  });
});
