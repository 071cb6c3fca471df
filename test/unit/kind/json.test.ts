import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, equalJson, parsedJson } from '#lib/json.ts';
import { runs } from '#test/properties.ts';

describe('equalJson()', () => {
  it('agrees with the canonical text', () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(value, value, (a, b) => {
        const copy: unknown = JSON.parse(JSON.stringify(a));
        expect(equalJson(a, copy)).toBe(true);
        expect(equalJson(a, b)).toBe(canonicalJson(a) === canonicalJson(b));
      }),
      { numRuns: runs(500) },
    );
  });

  it.each([
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ a: undefined }, {}, true],
    [{ a: undefined }, { b: undefined }, true],
    [{ a: null }, {}, false],
    [{ a: 1, b: undefined }, { a: 1, b: 2 }, false],
    [[1, [2]], [1, [2]], true],
    [[], {}, false],
    [[1], [1, 2], false],
    [JSON.parse('{"__proto__": 1}'), {}, false],
    [new Date(0), new Date(1), false],
    [Object.assign(Object.create(null), { a: 1 }), { a: 1 }, true],
  ])('of %j and %j', (a: unknown, b: unknown, equal) => {
    expect(equalJson(a, b)).toBe(equal);
    expect(equalJson(b, a)).toBe(equal);
  });
});

describe('parsedJson()', () => {
  it.each([
    { text: '{"a":[1,null]}', value: { a: [1, null] }, reason: 'it is an object' },
    { text: ' "a" ', value: 'a', reason: 'it is a string between blanks' },
    { text: 'null', value: null, reason: 'it is null' },
    { text: '', value: undefined, reason: 'there is nothing' },
    { text: '{"a":', value: undefined, reason: 'it was cut' },
    { text: 'undefined', value: undefined, reason: 'it is no JSON' },
  ])('parsedJson() reads $text when $reason', ({ text, value }) => {
    expect(parsedJson(text)).toEqual(value);
  });
});
