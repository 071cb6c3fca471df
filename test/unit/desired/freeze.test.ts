import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepFreeze } from '#lib/desired/canonical/freeze.ts';

const isDeepFrozen = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isDeepFrozen));

describe('deepFreeze()', () => {
  it('deepFreeze() freezes everything below, and changes nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = JSON.stringify(value);
        expect(isDeepFrozen(deepFreeze(value))).toBe(true);
        expect(JSON.stringify(value)).toBe(text);
      }),
    );
  });

  it('deepFreeze() returns the value that it was given', () => {
    const value = { a: [1] };
    expect(deepFreeze(value)).toBe(value);
  });

  it('deepFreeze() makes a write throw, at any depth', () => {
    const value = deepFreeze({ spec: { containers: [{ name: 'a' }] } });
    expect(() => value.spec.containers.push({ name: 'b' })).toThrow(TypeError);
    expect(() => Object.assign(value.spec.containers[0] ?? {}, { name: 'b' })).toThrow(TypeError);
  });

  it('deepFreeze() ends when a value contains itself', () => {
    const value: { self?: unknown } = {};
    value.self = value;
    expect(Object.isFrozen(deepFreeze(value))).toBe(true);
  });

  it.each([{ value: null }, { value: undefined }, { value: 3 }, { value: 'text' }])(
    'deepFreeze() passes $value through',
    ({ value }) => {
      expect(deepFreeze(value)).toBe(value);
    },
  );
});
