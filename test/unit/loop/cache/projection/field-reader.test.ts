import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFields } from '#lib/loop/cache/projection/field-reader.ts';

const owned = {
  'f:metadata': {
    'f:labels': { 'f:app': {} },
    'f:ownerReferences': { 'k:{"uid":"u-1"}': {} },
    'f:finalizers': { 'v:"a/b"': {} },
  },
  'f:spec': {
    'f:containers': {
      'k:{"name":"a"}': {
        '.': {},
        'f:name': {},
        'f:image': {},
        'f:ports': { 'k:{"containerPort":80}': { 'f:containerPort': {} } },
      },
      'k:{"name":"b"}': { '.': {}, 'f:name': {} },
    },
    'f:nodeSelector': {},
  },
};

const a = { name: 'a', image: 'web:1', ports: [{ containerPort: 80 }] };
const b = { name: 'b', image: 'theirs' };
const podOf = (containers: readonly object[], more: object = {}, uid = 'u-1') => ({
  metadata: {
    labels: { app: 'web', other: 'x' },
    ownerReferences: [{ uid, kind: 'PodSet' }],
    finalizers: ['x/y', 'a/b'],
  },
  spec: { containers, nodeSelector: { zone: 'z', arch: 'a' }, ...more },
});
const ownedBy = (uid: string) => JSON.parse(JSON.stringify(owned).replaceAll('u-1', uid)) as typeof owned;

describe('readFields()', () => {
  it('readFields() reads what stands in the fields that are owned, and nothing else', () => {
    expect(readFields(podOf([a, b]), owned, 'u-1').values).toEqual([
      '"web"',
      '{"kind":"PodSet","uid":"u-1"}',
      '"a/b"',
      '"a"',
      '"web:1"',
      '80',
      '"b"',
      '{"arch":"a","zone":"z"}',
    ]);
  });

  it('readFields() gives a dash for what is not there', () => {
    expect(readFields({ metadata: { labels: {} } }, owned, 'u-1').values).toEqual(['-', '-', '-', '-']);
  });

  it('readFields() gives one set for all that are owned alike, whatever their controller is', () => {
    const one = readFields(podOf([a, b]), owned, 'u-1');
    const other = readFields(podOf([a, { ...b, image: 'other' }], {}, 'u-2'), ownedBy('u-2'), 'u-2');
    expect(other.set).toBe(one.set);
  });

  it('readFields() distinguishes another order of elements from this one, and finds the same again', () => {
    const [one, other, again] = [
      [a, b],
      [b, a],
      [a, b],
    ].map((containers) => readFields(podOf(containers), owned, 'u-1'));
    expect(other?.set.id).not.toBe(one?.set.id);
    expect(again?.set).toBe(one?.set);
    expect(other?.values.toSorted()).toEqual(one?.values.toSorted());
  });

  it('readFields() distinguishes by order what has lists in different places', () => {
    const tree = { 'f:x': { 'v:1': {}, 'v:2': {} }, 'f:y': { 'v:1': {}, 'v:2': {} } };
    const xs = readFields({ x: [2, 1] }, tree, 'u-1');
    const ys = readFields({ y: [2, 1] }, tree, 'u-1');
    expect(Object.keys(xs.set.tree['f:x'] ?? {})).toEqual(['v:2', 'v:1']);
    expect(Object.keys(ys.set.tree['f:y'] ?? {})).toEqual(['v:2', 'v:1']);
    expect(ys.set.id).not.toBe(xs.set.id);
  });

  it('readFields() gives different sets exactly when elements stand in another order', () => {
    const orders = fc.shuffledSubarray(['p', 'q', 'r', 's'], { minLength: 4 });
    const tree = {
      'f:list': Object.fromEntries(['p', 'q', 'r', 's'].map((name) => [`k:{"name":"${name}"}`, { 'f:name': {} }])),
    };
    const readingOf = (names: readonly string[]) => readFields({ list: names.map((name) => ({ name })) }, tree, 'u-1');
    fc.assert(
      fc.property(orders, orders, (one, other) => {
        expect(readingOf(one).set === readingOf(other).set).toBe(one.join() === other.join());
        expect(readingOf(one).values).toEqual(one.map((name) => `"${name}"`));
      }),
    );
  });
});
