import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  difference,
  emptySet,
  equalSets,
  type FieldSet,
  intersection,
  pathsOf,
  recursiveDifference,
  setOfPaths,
  union,
} from '#lib/apiserver/apply/fields/field-set.ts';
import { decodeFields, encodeFields } from '#lib/apiserver/apply/fields/fields-v1.ts';
import { runs } from '#test/properties.ts';

const paths = fc.array(fc.array(fc.constantFrom('a', 'b', 'c', 'é', '😀'), { minLength: 1, maxLength: 4 }), {
  maxLength: 12,
});
const sets = paths.map(setOfPaths);
const textOf = (set: FieldSet): string[] => pathsOf(set).map((path) => path.map(({ name }) => name).join('.'));
const membersOf = (set: FieldSet): Set<string> => new Set(textOf(set));

describe('field sets', () => {
  it('union(), intersection() and difference() do what they do to the sets of paths', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const [left, right] = [membersOf(a), membersOf(b)];
        expect(membersOf(union(a, b))).toEqual(left.union(right));
        expect(membersOf(intersection(a, b))).toEqual(left.intersection(right));
        expect(membersOf(difference(a, b))).toEqual(left.difference(right));
      }),
      { numRuns: runs(500) },
    );
  });

  it('recursiveDifference() takes members and what is below them', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const gone = [...membersOf(b)];
        const left = [...membersOf(a)].filter(
          (path) => !gone.some((top) => path === top || path.startsWith(`${top}.`)),
        );
        expect(membersOf(recursiveDifference(a, b))).toEqual(new Set(left));
      }),
      { numRuns: runs(500) },
    );
  });

  it('operations return their first operand itself when it is the result', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const both = union(a, b);
        expect(union(both, b)).toBe(both);
        expect(union(both, a)).toBe(both);
        const rest = difference(a, b);
        expect(difference(rest, b)).toBe(rest);
        expect(intersection(a, both)).toBe(a);
      }),
      { numRuns: runs(300) },
    );
  });

  it('decodeFields() reads what encodeFields() writes', () => {
    fc.assert(
      fc.property(sets, (set) => {
        const read = decodeFields(JSON.parse(JSON.stringify(encodeFields(set))));
        expect(equalSets(read ?? emptySet, set)).toBe(true);
      }),
      { numRuns: runs(300) },
    );
  });

  it('encodeFields() orders members by their bytes, as Go does', () => {
    const set = setOfPaths([['\uffee'], ['😀'], ['b'], ['B'], ['é'], ['b', 'c']]);
    expect(JSON.stringify(encodeFields(set))).toBe(
      '{"f:B":{},"f:b":{".":{},"f:c":{}},"f:é":{},"f:\uffee":{},"f:😀":{}}',
    );
  });

  it('decodeFields() leaves out kinds of path elements it does not know, and refuses what is malformed', () => {
    const known = decodeFields({
      'f:a': {},
      'x:new': {},
      'k:{"b":2,"a":1}': { '.': {}, 'f:c': {} },
      'v:1.5': {},
      'i:3': {},
    });
    expect(JSON.stringify(encodeFields(known ?? emptySet))).toBe(
      '{"f:a":{},"k:{\\"a\\":1,\\"b\\":2}":{".":{},"f:c":{}},"v:1.5":{},"i:3":{}}',
    );
    for (const malformed of [
      { a: {} },
      { 'k:[': {} },
      { 'i:x': {} },
      { 'f:a': 'b' },
      { 'k:1': {} },
      { 'v:': {} },
      'x',
    ]) {
      expect(decodeFields(malformed)).toBeUndefined();
    }
  });
});
