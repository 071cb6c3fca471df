import { describe, expect, it } from 'vitest';
import { amountOf } from '#lib/plan/fields/amount.ts';
import { overridesOf } from '#lib/plan/fields/overrides.ts';
import type { FieldTree } from '#lib/plan/fields/pin.ts';

const object = (more: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, ...more });

/** The overrides of a spec in a response, each as `<path> <wanted> <found>`. */
const changesOf = (wanted: object, found: object, { tree, isWhole }: { tree?: FieldTree; isWhole?: boolean } = {}) =>
  overridesOf(object(wanted), object(found), { owner: 'uid-1', tree, ...(isWhole !== undefined && { isWhole }) }).map(
    (change) => `${change.way.join('/')} ${change.wanted} ${change.found}`,
  );

const container = (name: string, image: string) => ({ name, image });
const port = (number: number, value: string) => ({ port: number, value });
const withPorts = (...ports: object[]) => ({ spec: { containers: [{ name: 'a', ports }] } });

describe('overridesOf()', () => {
  it.each([
    { wanted: { spec: { a: 'x' } }, found: { spec: { a: 'x', b: 'y' } }, reason: 'there is an additional value' },
    { wanted: { spec: { a: '' } }, found: { spec: { a: 'x' } }, reason: 'the wanted text is empty' },
    { wanted: { spec: { a: '1000m' } }, found: { spec: { a: '1' } }, reason: 'a quantity has another notation' },
    { wanted: { spec: { a: 1 } }, found: { spec: { a: '1000m' } }, reason: 'a quantity is a number' },
    {
      wanted: { spec: { a: '2026-11-21T10:00:00+01:00' } },
      found: { spec: { a: '2026-11-21T09:00:00Z' } },
      reason: 'a time has another notation',
    },
    { wanted: { spec: { a: 'x' } }, found: { spec: { a: ['x'] } }, reason: 'a list stands for a text' },
    { wanted: { spec: { a: ['x'] } }, found: { spec: { a: 'x' } }, reason: 'a text stands for a list' },
    { wanted: { spec: { a: { b: 'x' } } }, found: { spec: { a: 'x' } }, reason: 'a text stands for an object' },
    { wanted: { spec: { a: null } }, found: { spec: { a: 'x' } }, reason: 'null is wanted' },
    { wanted: { spec: { a: 'x' } }, found: {}, reason: 'the object is incomplete' },
    { wanted: { status: { a: 'x' } }, found: { status: { a: 'y' } }, reason: 'the status differs' },
    { wanted: { apiVersion: 'v2' }, found: {}, reason: 'the version differs' },
    { wanted: { kind: 'Other' }, found: {}, reason: 'the kind differs' },
    { wanted: { metadata: { name: 'b' } }, found: {}, reason: 'the name differs' },
    { wanted: { spec: { a: ['x', 'y'] } }, found: { spec: { a: ['y', 'x', 'z'] } }, reason: 'a list is longer' },
  ])('overridesOf() returns nothing when $reason', ({ wanted, found }) => {
    expect(changesOf(wanted, found)).toEqual([]);
  });

  it.each([
    { wanted: { spec: { a: 'x' } }, found: { spec: { a: 'y' } }, is: 'f:spec/f:a x y', reason: 'a text differs' },
    { wanted: { spec: { a: 'x' } }, found: { spec: { a: '' } }, is: 'f:spec/f:a x ', reason: 'a text is emptied' },
    { wanted: { spec: { a: 1 } }, found: { spec: { a: 2 } }, is: 'f:spec/f:a 1 2', reason: 'a number differs' },
    {
      wanted: { spec: { a: true } },
      found: { spec: { a: false } },
      is: 'f:spec/f:a true false',
      reason: 'a boolean differs',
    },
    { wanted: { spec: { a: false } }, found: { spec: { a: 1 } }, is: 'f:spec/f:a false 1', reason: 'a type differs' },
    {
      wanted: { spec: { a: '2026-11-21T09:00:00Z' } },
      found: { spec: { a: '2026-11-21T09:00:01Z' } },
      is: 'f:spec/f:a 2026-11-21T09:00:00Z 2026-11-21T09:00:01Z',
      reason: 'a time differs',
    },
    {
      // Date.parse() accepts both texts, and takes them for the same month.
      wanted: { spec: { a: 'May 2026' } },
      found: { spec: { a: 'may  2026' } },
      is: 'f:spec/f:a May 2026 may  2026',
      reason: 'two texts are the same time for Date.parse() only',
    },
    {
      // Date.parse() ignores the text in parentheses.
      wanted: { spec: { a: 'May 2026 (2026-11-21T09:00:00Z)' } },
      found: { spec: { a: 'may 2026 (2026-11-21T09:00:00Z)' } },
      is: 'f:spec/f:a May 2026 (2026-11-21T09:00:00Z) may 2026 (2026-11-21T09:00:00Z)',
      reason: 'a text only contains a time',
    },
    {
      wanted: { spec: { a: ['x', 'y'] } },
      found: { spec: { a: ['x', 'z'] } },
      is: 'f:spec/f:a/i:1 y z',
      reason: 'an element without keys differs',
    },
    {
      wanted: { metadata: { labels: { a: 'x' } } },
      found: { metadata: { labels: { a: 'y' } } },
      is: 'f:metadata/f:labels/f:a x y',
      reason: 'a label differs',
    },
    {
      wanted: { metadata: { annotations: { a: 'x' } } },
      found: { metadata: { annotations: { a: 'y' } } },
      is: 'f:metadata/f:annotations/f:a x y',
      reason: 'an annotation differs',
    },
  ])('overridesOf() returns "$is" when $reason', ({ wanted, found, is }) => {
    expect(changesOf(wanted, found)).toEqual([is]);
  });

  const tree = {
    'f:spec': {
      'f:containers': { '.': {}, 'k:{"name":"a"}': { 'f:ports': { 'k:{"port":1}': {} } }, 'k:{"name":"b"}': {} },
    },
  };

  it('overridesOf() finds an element by its keys when the list has another order and more elements', () => {
    const wanted = { spec: { containers: [container('a', 'one'), container('b', 'two')] } };
    const found = { spec: { containers: [container('c', 'x'), container('b', 'new'), container('a', 'one')] } };
    expect(changesOf(wanted, found, { tree })).toEqual(['f:spec/f:containers/k:{"name":"b"}/f:image two new']);
  });

  it('overridesOf() finds an element in the list of an element', () => {
    const found = withPorts(port(2, 'z'), port(1, 'y'));
    expect(changesOf(withPorts(port(1, 'x')), found, { tree })).toEqual([
      'f:spec/f:containers/k:{"name":"a"}/f:ports/k:{"port":1}/f:value x y',
    ]);
  });

  it('overridesOf() finds an element in the list of an element without keys', () => {
    const listed = { 'f:spec': { 'f:containers': { 'i:0': { 'f:ports': { 'k:{"port":1}': {} } } } } };
    const found = withPorts(port(2, 'z'), port(1, 'y'));
    expect(changesOf(withPorts(port(1, 'x')), found, { tree: listed })).toEqual([
      'f:spec/f:containers/i:0/f:ports/k:{"port":1}/f:value x y',
    ]);
  });

  it('overridesOf() returns nothing for an element with keys that is absent', () => {
    const wanted = { spec: { containers: [container('a', 'one')] } };
    const found = { spec: { containers: [container('c', 'x'), container('d', 'y')] } };
    expect(changesOf(wanted, found, { tree, isWhole: true })).toEqual([]);
  });

  it.each([
    { wanted: { spec: { a: 'x', b: 1 } }, found: { spec: { b: 1 } }, is: ['f:spec/f:a x undefined'] },
    {
      wanted: { spec: { a: { b: 'x', c: true } } },
      found: {},
      is: ['f:spec/f:a/f:b x undefined', 'f:spec/f:a/f:c true undefined'],
    },
    { wanted: { spec: { a: false, b: 0, c: '' } }, found: { spec: {} }, is: [] },
    { wanted: { spec: { a: ['x'], b: null } }, found: { spec: {} }, is: [] },
    { wanted: { data: { constructor: 'x' } }, found: { data: {} }, is: ['f:data/f:constructor x undefined'] },
    { wanted: { metadata: { labels: { a: 'x' } } }, found: {}, is: ['f:metadata/f:labels/f:a x undefined'] },
    { wanted: { metadata: { annotations: { a: 'x' } } }, found: {}, is: [] },
  ])('overridesOf() returns $is for the fields of $wanted that a complete response lacks', ({ wanted, found, is }) => {
    expect(changesOf(wanted, found, { isWhole: true })).toEqual(is);
    expect(changesOf(wanted, found)).toEqual([]);
  });

  it('overridesOf() compares data of a Secret only if stringData does not replace it, and never stringData', () => {
    const wanted = { kind: 'Secret', type: 'Opaque', data: { a: 'old', b: 'x' }, stringData: { a: 'new', c: 'y' } };
    const found = { kind: 'Secret', type: 'other', data: { a: 'bmV3', b: 'z', c: 'eQ==' } };
    expect(changesOf(wanted, found, { isWhole: true })).toEqual(['f:type Opaque other', 'f:data/f:b x z']);
    expect(changesOf({ kind: 'Secret', stringData: { a: 'x' } }, found, { isWhole: true })).toEqual([]);
    expect(changesOf({ kind: 'Secret', data: { a: 'x' } }, { kind: 'Secret' }, { isWhole: true })).toEqual([
      'f:data/f:a x undefined',
    ]);
  });

  it('overridesOf() compares stringData of other kinds like other fields', () => {
    expect(changesOf({ stringData: { a: 'x' } }, { stringData: { a: 'y' } })).toEqual(['f:stringData/f:a x y']);
  });
});

describe('amountOf()', () => {
  it.each([
    ['100m', 0.1],
    ['5n', 5e-9],
    ['5u', 5e-6],
    ['1', 1],
    [2.5, 2.5],
    ['-3', -3],
    ['+3', 3],
    ['1e3', 1000],
    ['1E-3', 0.001],
    ['12e+10', 12e10],
    ['1k', 1e3],
    ['1M', 1e6],
    ['1G', 1e9],
    ['1T', 1e12],
    ['1P', 1e15],
    ['1E', 1e18],
    ['1Ki', 1024],
    ['1Mi', 1024 ** 2],
    ['1Gi', 1024 ** 3],
    ['1Ti', 1024 ** 4],
    ['1Pi', 1024 ** 5],
    ['1Ei', 1024 ** 6],
  ])('amountOf() converts %s to %d', (quantity, amount) => {
    expect(amountOf(quantity)).toBeCloseTo(amount, 12);
  });

  it.each(['', 'm', 'Gi', '1Kb', 'x1', '1 Gi', '1m1', 'true', '1e'])('amountOf() returns NaN for "%s"', (text) => {
    expect(amountOf(text)).toBeNaN();
  });
});
