import { expect, it } from 'vitest';
import {
  hasField,
  missingFields,
  pathId,
  type StatusPath,
  statusPathText,
  withoutFields,
} from '#lib/loop/pass/report/status-path.ts';

const integer = { type: 'integer' } as const;
const schema = {
  type: 'object',
  properties: {
    ready: { type: 'boolean' },
    canary: { type: 'object', properties: { weight: integer } },
    weights: { type: 'object', additionalProperties: integer },
    pods: { type: 'array', items: { type: 'object', properties: { node: { type: 'string' }, at: integer } } },
    books: {
      type: 'object',
      additionalProperties: { type: 'object', properties: { pages: integer, title: { type: 'string' } } },
    },
  },
} as const;

const place = { schema, path: [] };
const at = (path: StatusPath) => ({ schema, path });
const pod = (more: object) => ({ pods: [{ node: 'n' }, more] });

it.each([
  { sent: { ready: true }, stored: { ready: false }, is: [], reason: 'only values differ' },
  { sent: { ready: true }, stored: {}, is: [['ready']], reason: 'a field is missing' },
  { sent: { ready: true }, stored: 'text', is: [['ready']], reason: 'the stored value is no object' },
  { sent: { canary: { weight: 1 } }, stored: { canary: {} }, is: [['canary', 'weight']], reason: 'a part is missing' },
  { sent: { canary: { weight: 1 } }, stored: {}, is: [['canary']], reason: 'the whole object is missing' },
  { sent: { weights: { a: 1 } }, stored: { weights: {} }, is: [['weights', '*']], reason: 'a key of a map is missing' },
  { sent: pod({ at: 1 }), stored: pod({}), is: [['pods', '[]', 'at']], reason: 'a field of an element is missing' },
  { sent: pod({ at: 1 }), stored: { pods: [{}] }, is: [], reason: 'the lists have different lengths' },
  { sent: pod({}), stored: { pods: 'text' }, is: [], reason: 'the stored list is a text' },
  { sent: pod({}), stored: { pods: 'ab' }, is: [], reason: 'the stored list is a text of the same length' },
  {
    sent: { ready: 'ab' },
    stored: { ready: [1, 2] },
    is: [],
    reason: 'a list of the same length is stored for a text',
  },
  {
    sent: { other: { part: 1 } },
    stored: { other: {} },
    is: [['*', '*']],
    reason: 'a part of a field is missing that the schema does not have',
  },
  {
    sent: { other: [{ part: 1 }] },
    stored: { other: [{}] },
    is: [['*', '[]', '*']],
    reason: 'a part of a list is missing that the schema does not have',
  },
  { sent: { ready: true }, stored: { ready: undefined }, is: [['ready']], reason: 'the stored value is undefined' },
  { sent: { other: 1 }, stored: {}, is: [['*']], reason: 'the schema does not have the field' },
])('missingFields() returns $is when $reason', ({ sent, stored, is }) => {
  expect(missingFields(sent, stored, place)).toEqual(is);
});

it('withoutFields() removes the fields from objects, lists and maps, and nothing else', () => {
  const fields: StatusPath[] = [['ready'], ['pods', '[]', 'at'], ['books', '*', 'pages']];
  const status = {
    ready: true,
    canary: { weight: 1 },
    ...pod({ at: 1, node: 'm' }),
    books: { a: { pages: 1, title: 'A' } },
  };
  expect(withoutFields(status, new Map(fields.map((path) => [pathId(path), path])), place)).toEqual({
    canary: { weight: 1 },
    ...pod({ node: 'm' }),
    books: { a: { title: 'A' } },
  });
});

it.each([
  { value: { ready: false }, path: ['ready'], is: true },
  { value: {}, path: ['ready'], is: false },
  { value: 'text', path: ['ready'], is: false },
  { value: 'text', path: ['*'], is: false },
  { value: null, path: ['ready'], is: false },
  { value: { other: { ready: true } }, path: ['*', 'ready'], is: false },
  { value: 'text', path: [], is: true },
  { value: { weights: { a: 1 } }, path: ['weights', '*'], is: true },
  { value: { weights: {} }, path: ['weights', '*'], is: false },
  { value: pod({ at: 1 }), path: ['pods', '[]', 'at'], is: true },
  { value: pod({}), path: ['pods', '[]', 'at'], is: false },
  { value: pod({}), path: ['pods', 'at'], is: false },
  { value: { books: { a: { title: 'A' }, b: { pages: 1 } } }, path: ['books', '*', 'pages'], is: true },
  { value: { books: { a: { title: 'A' } } }, path: ['books', '*', 'pages'], is: false },
])('hasField() of $value and $path is $is', ({ value, path, is }) => {
  expect(hasField(value, at(path))).toBe(is);
});

it.each([
  { path: ['canary', 'weight'], text: 'canary.weight' },
  { path: ['pods', '[]', 'node'], text: 'pods[].node' },
  { path: ['a', '[]', '[]', '*'], text: 'a[][].*' },
])('statusPathText() formats $path as $text', ({ path, text }) => {
  expect(statusPathText(path)).toBe(text);
});
