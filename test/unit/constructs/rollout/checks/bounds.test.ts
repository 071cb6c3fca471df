import { describe, expect, it } from 'vitest';
import { describeBounds, isWithin } from '#constructs/rollout/checks/bounds.ts';

describe('isWithin()', () => {
  it.each([
    { value: 0.99, bounds: { min: '0.99' }, within: true, reason: 'it is the least that passes' },
    { value: 0.9899, bounds: { min: '0.99' }, within: false, reason: 'it is below the least' },
    { value: 5, bounds: { max: 5 }, within: true, reason: 'it is the greatest that passes' },
    { value: 5.0001, bounds: { max: 5 }, within: false, reason: 'it is above the greatest' },
    { value: 3, bounds: { min: 1, max: '5.5' }, within: true, reason: 'it lies between both' },
    { value: 0, bounds: { min: 0, max: 0 }, within: true, reason: 'both bounds are the value' },
    { value: -2, bounds: { min: '-2.5' }, within: true, reason: 'bounds are negative' },
    { value: 1e9, bounds: {}, within: true, reason: 'there are no bounds' },
  ])('isWithin() is $within for $value when $reason', ({ value, bounds, within }) => {
    expect(isWithin(value, bounds)).toBe(within);
  });
});

describe('describeBounds()', () => {
  it.each([
    { bounds: { min: '0.99' }, text: 'at least 0.99' },
    { bounds: { max: 5 }, text: 'at most 5' },
    { bounds: { min: 1, max: 5 }, text: 'from 1 to 5' },
    { bounds: {}, text: 'anything' },
  ])('describeBounds() says "$text"', ({ bounds, text }) => {
    expect(describeBounds(bounds)).toBe(text);
  });
});
