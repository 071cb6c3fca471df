import { describe, expect, it } from 'vitest';
import { isDnsLabel, isNamespaceName } from '#lib/kind/dns.ts';

describe('isNamespaceName()', () => {
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
  ])('isNamespaceName() is $valid when $reason', ({ name, valid }) => {
    expect(isNamespaceName(name)).toBe(valid);
  });

  it('isNamespaceName() takes a digit at the start, which isDnsLabel() does not', () => {
    expect([isNamespaceName('1a'), isDnsLabel('1a')]).toEqual([true, false]);
  });
});
