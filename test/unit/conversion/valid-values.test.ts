import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { validValues } from '#lib/conversion/testing/valid-values.ts';
import { readSchema } from '#lib/kind/json-schema/json-schema.ts';

const entry = {
  type: 'object',
  properties: { key: { type: 'boolean' }, value: { type: 'integer' } },
  required: ['key'],
};
const map = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['key'] };

const listsOf = (schema: object): readonly (readonly unknown[])[] =>
  fc.sample(validValues(fc, readSchema({ type: 'array', ...schema })), { numRuns: 200, seed: 1 }) as unknown[][];

const hasTwins = (list: readonly unknown[]): boolean =>
  new Set(list.map((item) => JSON.stringify(item))).size < list.length;

it('validValues() repeats no item when a list is a set, and no key when a list is a map', () => {
  const flags = { items: { type: 'boolean' } };
  expect(listsOf({ ...flags, 'x-kubernetes-list-type': 'set' }).filter(hasTwins)).toEqual([]);
  expect(listsOf(flags).some(hasTwins)).toBe(true);
  const keys = listsOf({ items: entry, ...map }).map((list) => list.map((item) => (item as { key: boolean }).key));
  expect(keys.filter(hasTwins)).toEqual([]);
  expect(keys.some(({ length }) => length === 2)).toBe(true);
});
