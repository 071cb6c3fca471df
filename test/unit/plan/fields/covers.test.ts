import { describe, expect, it } from 'vitest';
import { covers } from '#lib/plan/fields/covers.ts';
import { type FieldTree, isPinned, OWNER } from '#lib/plan/fields/pin.ts';

const object = (more: object) => ({
  apiVersion: 'v1',
  kind: 'Shelf',
  metadata: { name: 'a', namespace: 'b' },
  ...more,
});

interface Case {
  readonly tree: FieldTree;
  readonly intent: object;
  /** @default the intent */
  readonly live?: object;
  readonly isWhole?: boolean;
  readonly reason: string;
}

const isCovered = ({ tree, intent, live = intent, isWhole }: Case): boolean =>
  covers({ 'f:metadata': {}, ...tree }, object(intent), {
    owner: 'uid-1',
    live: object(live),
    ...(isWhole !== undefined && { isWhole }),
  });

const spec = (below: FieldTree): FieldTree => ({ 'f:spec': below });
const list = (...steps: string[]): FieldTree => spec({ 'f:list': Object.fromEntries(steps.map((step) => [step, {}])) });
const elements = (...values: unknown[]) => ({ spec: { list: values } });

const covered: readonly Case[] = [
  { tree: spec({ 'f:a': {} }), intent: { spec: { a: 1 } }, reason: 'each field is owned' },
  { tree: spec({ 'f:a': {}, 'f:b': {} }), intent: { spec: { a: 1 } }, reason: 'more fields are owned' },
  {
    tree: spec({ 'f:a': {} }),
    intent: { spec: { a: 1 } },
    live: { spec: { a: 2 } },
    reason: 'admission changed a field',
  },
  { tree: spec({ 'f:a': {} }), intent: { spec: { a: [1] } }, live: {}, reason: 'a list is owned as a whole' },
  { tree: spec({}), intent: { spec: { a: { b: [1] } } }, reason: 'a map is owned as a whole, with equal values' },
  { tree: spec({ '.': {} }), intent: { spec: { a: 1 } }, live: {}, reason: 'the cache does not keep a map' },
  {
    tree: spec({}),
    intent: { spec: { a: { b: 1 } } },
    live: { spec: { a: { b: 1, c: 2 }, d: 3 } },
    reason: 'a map that is owned as a whole has more members',
  },
  {
    tree: { 'f:spec': {}, 'f:list': {} },
    intent: { spec: {}, list: [] },
    live: {},
    reason: 'empty values are absent from an incomplete object',
  },
  {
    tree: { 'f:spec': {}, 'f:list': {} },
    intent: { spec: {}, list: [] },
    isWhole: true,
    reason: 'empty values are in the complete object',
  },
  { tree: list('v:"x"', 'v:"y"'), intent: elements('x', 'y'), reason: 'a set has its elements' },
  { tree: list('v:"x"', 'v:"z"', 'v:"y"'), intent: elements('x', 'y'), reason: 'other elements are between' },
  { tree: list('i:0', 'i:1'), intent: elements('x', 'y'), reason: 'elements are owned by index' },
  { tree: list('i:0'), intent: elements(null), reason: 'an element by index is null' },
  {
    tree: list('i:0'),
    intent: elements({ a: 1 }),
    live: {},
    reason: 'the cache does not keep a list with elements by index',
  },
  {
    tree: list('k:{"name":"a"}'),
    intent: elements({ name: 'a', x: 1 }),
    live: elements({ name: 'b' }, { name: 'c' }),
    reason: 'the cache does not have an element yet',
  },
  {
    tree: { 'f:metadata': { 'f:labels': { 'f:a': {} } } },
    intent: { metadata: { name: 'a', namespace: 'b', labels: { a: 'b' } } },
    reason: 'the name and the namespace have no owner',
  },
  { tree: list('k:{"name":"a"}'), intent: elements({ name: 'a' }), reason: 'an element is owned by its key' },
  {
    tree: list(`k:{"uid":"${OWNER}"}`),
    intent: elements({ uid: 'uid-1' }),
    reason: 'the key of an element is the uid of the owner',
  },
];

const uncovered: readonly Case[] = [
  { tree: spec({ 'f:a': {} }), intent: { spec: { a: 1, b: 2 } }, reason: 'a field is not owned' },
  { tree: {}, intent: { spec: { a: 1 } }, reason: 'a map is not owned' },
  { tree: spec({}), intent: { spec: { a: 1 } }, live: { spec: { a: 2 } }, reason: 'a map owned as a whole differs' },
  { tree: spec({}), intent: { spec: { a: 1, b: 2 } }, live: { spec: { a: 1 } }, reason: 'a map lacks a member' },
  { tree: spec({}), intent: { spec: { a: 1 } }, live: { spec: 'text' }, reason: 'the live value is no map' },
  { tree: spec({ 'f:a': {} }), intent: { spec: 'text' }, reason: 'a text stands for the owned map' },
  { tree: spec({ 'f:a': {} }), intent: { spec: 5 }, reason: 'a number stands for the owned map' },
  {
    tree: spec({}),
    intent: { spec: {} },
    live: {},
    isWhole: true,
    reason: 'an empty map is absent from the whole object',
  },
  {
    tree: spec({}),
    intent: { spec: [] },
    live: {},
    isWhole: true,
    reason: 'an empty list is absent from the whole object',
  },
  {
    tree: spec({ 'f:a': { 'f:b': {}, 'f:c': {} } }),
    intent: { spec: { a: { b: {}, c: 1 } } },
    live: { spec: { a: { c: 1 } } },
    isWhole: true,
    reason: 'an empty map below is absent from the whole object',
  },
  {
    tree: list('k:{"name":"a"}'),
    intent: elements({ name: 'a', b: {} }),
    live: elements({ name: 'a' }),
    reason: 'a map in a list lacks a member',
  },
  { tree: list('v:"x"'), intent: elements('x', 'y'), reason: 'an element is not owned' },
  { tree: list('v:"y"', 'v:"x"'), intent: elements('x', 'y'), reason: 'elements have another order' },
  { tree: list('v:"x"'), intent: elements('x', 'x'), reason: 'one entry stands for two elements' },
  {
    tree: list('k:{"name":"a"}', 'k:{"name":"a","port":1}'),
    intent: elements({ name: 'a', port: 1 }),
    reason: 'two entries stand for one element',
  },
  { tree: list('i:0'), intent: elements('x', 'y'), reason: 'an index is not owned' },
  {
    tree: spec({ 'f:list': { 'i:0': { 'f:a': {} } } }),
    intent: elements({ a: 1, b: 2 }),
    reason: 'a field of an element by index is not owned',
  },
  {
    tree: spec({ 'f:list': { 'i:0': {}, 'i:1': {} } }),
    intent: elements({ a: 1 }, { b: 1 }),
    live: elements({ a: 1 }, { b: 2 }),
    reason: 'an element by index differs',
  },
  {
    tree: list('k:{"name":"a"}', 'k:{"name":"b"}'),
    intent: elements({ name: 'b', x: 1 }),
    live: elements({ name: 'a', x: 1 }, { name: 'b', x: 2 }),
    reason: 'an element by key differs',
  },
  {
    tree: spec({ 'f:list': { 'k:{"name":"a"}': { 'f:name': {} } } }),
    intent: elements({ name: 'a', x: 1 }),
    reason: 'a field of an element is not owned',
  },
  { tree: { 'f:name': {} }, intent: { spec: { name: 'x' } }, reason: 'a field has the name of a field without owner' },
  {
    tree: spec({ 'f:metadata': { 'f:labels': {} } }),
    intent: { spec: { metadata: { name: 'x', labels: { a: 'b' } } } },
    reason: 'the metadata of a template have a name without owner',
  },
  {
    tree: { 'f:metadata': { 'f:x': {} } },
    intent: { metadata: { name: 'a', labels: { a: 'b' } } },
    reason: 'a label is not owned',
  },
  { tree: {}, intent: { metadata: { labels: { a: 'b' } } }, reason: 'no part of the metadata is owned' },
];

describe('covers()', () => {
  it.each(covered)('covers() is true when $reason', (one) => {
    expect(isCovered(one)).toBe(true);
  });

  it.each(uncovered)('covers() is false when $reason', (one) => {
    expect(isCovered(one)).toBe(false);
  });

  it('covers() treats a field with the name of a member of every object like any other field', () => {
    const intent = { constructor: { a: 1 } };
    const tree = { 'f:constructor': { 'f:a': {} } };
    expect(isCovered({ tree, intent, reason: '' })).toBe(true);
    expect(isCovered({ tree: { 'f:constructor': { 'f:b': {} } }, intent, reason: '' })).toBe(false);
    const absent = {
      tree: spec({ 'f:constructor': {} }),
      intent: { spec: { constructor: { a: 1 } } },
      live: { spec: {} },
    };
    expect(isCovered({ ...absent, reason: '' })).toBe(true);
  });

  it('covers() compares the elements of a list that the cache does not keep by their entries alone', () => {
    expect(
      isCovered({ tree: list('v:"x"'), intent: elements('x'), live: { spec: { list: 'text' } }, reason: '' }),
    ).toBe(true);
  });
});

describe('isPinned()', () => {
  const owned = { set: { id: 'one', tree: {} }, values: 1 };

  it.each([
    { now: { set: { id: 'one', tree: {} }, values: 1 }, is: true, reason: 'the set and the values are equal' },
    { now: { ...owned, values: 2 }, is: false, reason: 'the values differ' },
    { now: { ...owned, set: { id: 'two', tree: {} } }, is: false, reason: 'the sets differ' },
    { now: undefined, is: false, reason: 'the child shows no fields' },
  ])('isPinned() is $is when $reason', ({ now, is }) => {
    expect(isPinned({ intent: 'a', owned }, now)).toBe(is);
  });

  it('isPinned() compares a pin without fields with a child without fields', () => {
    expect(isPinned({ intent: 'a' }, undefined)).toBe(true);
    expect(isPinned({ intent: 'a' }, owned)).toBe(false);
  });
});
