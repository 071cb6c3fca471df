import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonical, canonicalText, shortHash } from '#lib/desired/canonical/canonical.ts';
import { deepFreeze } from '#lib/desired/canonical/freeze.ts';

type Json = unknown;

/** The same value with the members of every object in another order. */
const shuffled = (value: Json, seed: number): Json => {
  if (Array.isArray(value)) return value.map((item: Json) => shuffled(item, seed));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([key, member]) => [key, shuffled(member, seed)] as const);
  const turned = members.slice(seed % (members.length || 1)).concat(members.slice(0, seed % (members.length || 1)));
  return Object.fromEntries(seed % 2 === 0 ? turned : turned.toReversed());
};

const json = fc.jsonValue({ maxDepth: 4 });

describe('canonical()', () => {
  it('canonical() gives the same text when members come in another order', () => {
    fc.assert(
      fc.property(json, fc.nat(), (value, seed) => {
        expect(JSON.stringify(canonical(shuffled(value, seed)))).toBe(JSON.stringify(canonical(value)));
      }),
    );
  });

  it('canonical() changes nothing when the value is canonical already', () => {
    fc.assert(
      fc.property(json, (value) => {
        const once = canonical(value);
        expect(JSON.stringify(canonical(once))).toBe(JSON.stringify(once));
      }),
    );
  });

  it.each([
    { value: { b: 1, a: 2 }, text: '{"a":2,"b":1}', reason: 'members are sorted' },
    { value: { a: null, b: undefined, c: 0 }, text: '{"c":0}', reason: 'absent, null and undefined mean the same' },
    { value: { a: '', b: false, c: [] }, text: '{"a":"","b":false,"c":[]}', reason: 'empty is not absent' },
    { value: [{ b: null, a: 1 }], text: '[{"a":1}]', reason: 'objects within lists, too' },
    { value: [2, 1, null], text: '[2,1,null]', reason: 'the order and the length of a list mean something' },
    { value: { Z: 1, a: 2, ä: 3 }, text: '{"Z":1,"a":2,"ä":3}', reason: 'code units, not the locale, order members' },
    { value: null, text: 'null', reason: 'a bare null stays' },
  ])('canonical() makes $text because $reason', ({ value, text }) => {
    expect(JSON.stringify(canonical(value))).toBe(text);
  });

  it('canonical() leaves its input alone when the input is frozen', () => {
    const value = deepFreeze({ b: [{ d: null, c: 1 }], a: 1 });
    expect(canonical(value)).toEqual({ a: 1, b: [{ c: 1 }] });
    expect(value).toEqual({ b: [{ d: null, c: 1 }], a: 1 });
  });

  it('canonical() keeps a member of the name __proto__ as data', () => {
    const value: unknown = JSON.parse('{"__proto__":{"admin":true}}');
    expect(JSON.stringify(canonical(value))).toBe('{"__proto__":{"admin":true}}');
  });
});

describe('canonicalText()', () => {
  it('canonicalText() is the text of the canonical form, whatever names and values there are', () => {
    const value = fc.object({
      maxDepth: 4,
      key: fc.oneof(fc.string(), fc.nat().map(String)),
      withNullPrototype: false,
    });
    fc.assert(
      fc.property(fc.oneof(json, value), (any) => {
        expect(canonicalText(any)).toBe(JSON.stringify(canonical(any)) ?? 'null');
      }),
    );
  });
});

describe('shortHash()', () => {
  it('shortHash() uses digits that are safe in names and has the length that was asked for', () => {
    fc.assert(
      fc.property(json, fc.integer({ min: 1, max: 12 }), (value, length) => {
        expect(shortHash(value, length)).toMatch(new RegExp(`^[bcdfghjklmnpqrstvwxz2456789]{${length}}$`));
      }),
    );
  });

  it('shortHash() is the same when members come in another order', () => {
    fc.assert(
      fc.property(json, fc.nat(), (value, seed) => {
        expect(shortHash(shuffled(value, seed), 10)).toBe(shortHash(value, 10));
      }),
    );
  });

  it('shortHash() never changes between releases, since names of live objects are made of it', () => {
    expect(shortHash(['6f1c2a7e-0000-4000-8000-000000000001', 0], 5)).toMatchInlineSnapshot(`"h58gj"`);
    expect(shortHash('a-name', 10)).toMatchInlineSnapshot(`"xwhfv87thp"`);
    expect(shortHash({ b: [{ d: null, c: 1 }], a: 'x' }, 10)).toMatchInlineSnapshot(`"ttpq7blsks"`);
  });

  it('shortHash() spreads over all digits at every place', () => {
    const places = Array.from({ length: 5 }, () => new Set<string>());
    for (let i = 0; i < 2000; i += 1)
      shortHash(i, 5)
        .split('')
        .forEach((digit, place) => places[place]?.add(digit));
    expect(places.map(({ size }) => size)).toEqual([27, 27, 27, 27, 27]);
  });
});
