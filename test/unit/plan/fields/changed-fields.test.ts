import { describe, expect, it } from 'vitest';
import { changedFields } from '#lib/plan/fields/changed-fields.ts';
import { fieldName, holdsField, lostFields } from '#lib/plan/fields/lost-fields.ts';

describe('changedFields()', () => {
  it.each([
    { before: { a: 1 }, after: { a: 1 }, is: [], reason: 'nothing differs' },
    { before: { b: 1, a: { c: 1 } }, after: { b: 2, a: { c: 2 } }, is: ['a.c', 'b'], reason: 'members differ' },
    { before: { a: 1 }, after: {}, is: ['a'], reason: 'a member is gone' },
    { before: {}, after: { a: 1 }, is: ['a'], reason: 'a member is new' },
    { before: { a: [{ b: 1 }, 2] }, after: { a: [{ b: 2 }, 2] }, is: ['a[0].b'], reason: 'an element differs' },
    { before: { a: [1] }, after: { a: [1, 2] }, is: ['a'], reason: 'a list is longer' },
    { before: { a: [1] }, after: { a: { 0: 1 } }, is: ['a'], reason: 'a list became an object' },
    { before: { a: { b: 1 } }, after: { a: 'b' }, is: ['a'], reason: 'an object became a text' },
    { before: { a: ['x'] }, after: { a: 'y' }, is: ['a'], reason: 'a list became a text of the same length' },
    { before: 1, after: 2, is: [''], reason: 'the values themselves differ' },
    { before: { 'a/b': 1 }, after: { 'a/b': 2 }, is: ['["a/b"]'], reason: 'a name needs brackets' },
  ])('changedFields() returns $is when $reason', ({ before, after, is }) => {
    expect(changedFields(before, after)).toEqual(is);
  });

  it('changedFields() begins each path with the path of the values', () => {
    expect(changedFields({ a: [1] }, { a: [2] }, 'spec')).toEqual(['spec.a[0]']);
  });
});

describe('lostFields()', () => {
  const before = { 'f:a': {}, 'f:b': { '.': {}, 'f:c': {}, 'f:d': {} }, 'f:list': { '.': {}, 'v:"x"': {} } };

  it.each([
    { now: before, lost: [], reason: 'all fields are there' },
    { now: { ...before, 'f:new': {} }, lost: [], reason: 'there are more fields' },
    { now: { 'f:b': before['f:b'], 'f:list': before['f:list'] }, lost: [['f:a']], reason: 'a field is gone' },
    { now: { ...before, 'f:b': { 'f:c': {} } }, lost: [['f:b', 'f:d']], reason: 'a field below is gone' },
    { now: { ...before, 'f:b': { 'f:c': {}, 'f:d': {} } }, lost: [], reason: 'only the entry of the map is gone' },
    {
      now: { 'f:a': {}, 'f:list': before['f:list'] },
      lost: [
        ['f:b', 'f:c'],
        ['f:b', 'f:d'],
      ],
      reason: 'a whole map is gone',
    },
    {
      now: undefined,
      lost: [['f:a'], ['f:b', 'f:c'], ['f:b', 'f:d'], ['f:list', 'v:"x"']],
      reason: 'there are no managed fields',
    },
  ])('lostFields() returns $lost when $reason', ({ now, lost }) => {
    expect(lostFields(before, now)).toEqual(lost);
  });

  it('lostFields() returns a map without fields as one field', () => {
    expect(lostFields({ 'f:a': { '.': {} } }, {})).toEqual([['f:a']]);
    expect(lostFields({}, undefined)).toEqual([[]]);
  });
});

describe('holdsField()', () => {
  const tree = { 'f:spec': { 'f:replicas': {} } };

  it.each([
    { way: ['f:spec', 'f:replicas'], holds: true },
    { way: ['f:spec'], holds: true },
    { way: [], holds: true },
    { way: ['f:spec', 'f:paused'], holds: false },
    { way: ['f:status', 'f:replicas'], holds: false },
  ])('holdsField() returns $holds for $way', ({ way, holds }) => {
    expect(holdsField(tree, way)).toBe(holds);
  });

  it('holdsField() returns false without managed fields', () => {
    expect(holdsField(undefined, [])).toBe(false);
  });
});

describe('fieldName()', () => {
  it.each([
    { way: ['f:spec', 'f:replicas'], name: 'spec.replicas' },
    { way: ['f:spec', 'f:containers', 'k:{"name":"main"}', 'f:image'], name: 'spec.containers[name=main].image' },
    { way: ['f:ports', 'k:{"port":80,"protocol":"TCP"}'], name: 'ports[port=80,protocol=TCP]' },
    { way: ['f:metadata', 'f:finalizers', 'v:"a.b"'], name: 'metadata.finalizers["a.b"]' },
    { way: ['f:args', 'i:0'], name: 'args[0]' },
    { way: ['f:.hidden'], name: '.hidden' },
  ])('fieldName() formats $way as $name', ({ way, name }) => {
    expect(fieldName(way)).toBe(name);
  });
});
