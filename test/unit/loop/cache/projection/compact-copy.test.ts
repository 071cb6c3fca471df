import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { compactCopy } from '#lib/loop/cache/projection/compact-copy.ts';
import { runs } from '#test/properties.ts';

it('compactCopy() returns an equal object that shares the members of the original', () => {
  const property = fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
    const copy = compactCopy(value);
    expect(copy).not.toBe(value);
    expect(Object.entries(copy)).toEqual(Object.entries(value));
    for (const name of Object.keys(value)) expect(copy[name]).toBe(value[name]);
  });
  fc.assert(property, { numRuns: runs(100) });
});
