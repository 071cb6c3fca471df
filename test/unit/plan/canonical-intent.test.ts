import { describe, expect, it } from 'vitest';
import { deepFreeze } from '#lib/desired/canonical/freeze.ts';
import { type KubeObject, Pod } from '#lib/kind/handles/reference.ts';
import { canonicalIntent, isBuiltIn, sortedPart } from '#lib/plan/canonical-intent.ts';
import { stamp } from '#lib/plan/stamp.ts';
import { intentOf, planInput } from '#test/unit/support/plan-inputs.ts';

const intent = (apiVersion: string, more: object): KubeObject => ({ apiVersion, kind: 'Any', ...more });

/** The spec of the canonical form. */
const specOf = (apiVersion: string, spec: unknown): unknown =>
  (canonicalIntent(intent(apiVersion, { spec })) as { readonly spec?: unknown }).spec;

describe('isBuiltIn()', () => {
  it.each([
    { apiVersion: 'v1', is: true },
    { apiVersion: 'apps/v1', is: true },
    { apiVersion: 'networking.k8s.io/v1', is: true },
    { apiVersion: 'example.com/v1', is: false },
    { apiVersion: 'k8s.io.example.com/v1', is: false },
    { apiVersion: 'myk8s.io/v1', is: false },
  ])('isBuiltIn() of $apiVersion is $is', ({ apiVersion, is }) => {
    expect(isBuiltIn({ apiVersion })).toBe(is);
  });
});

describe('canonicalIntent()', () => {
  it.each([
    { spec: { b: 1, a: [{ d: 1, c: 2 }] }, is: '{"a":[{"c":2,"d":1}],"b":1}', reason: 'members are sorted' },
    {
      spec: { a: null, b: undefined, c: 0, d: '', e: false },
      is: '{"c":0,"d":"","e":false}',
      reason: 'null is removed',
    },
    { spec: { a: [null, { b: null }] }, is: '{"a":[null,{}]}', reason: 'elements stay' },
  ])('canonicalIntent() of $spec is $is in every kind: $reason', ({ spec, is }) => {
    for (const apiVersion of ['v1', 'example.com/v1']) {
      expect(JSON.stringify(specOf(apiVersion, spec))).toBe(is);
      expect(JSON.stringify(specOf(apiVersion, deepFreeze(structuredClone(spec))))).toBe(is);
    }
  });

  const maps = [
    'annotations',
    'binaryData',
    'data',
    'labels',
    'limits',
    'matchLabels',
    'nodeSelector',
    'requests',
    'stringData',
  ];

  it.each(maps)('canonicalIntent() removes an empty map "%s" of built-in kinds only', (name) => {
    expect(specOf('v1', { [name]: {} })).toEqual({});
    expect(specOf('v1', deepFreeze({ [name]: {} }))).toEqual({});
    expect(specOf('v1', { [name]: { a: 'x' } })).toEqual({ [name]: { a: 'x' } });
    expect(specOf('v1', { [name]: 'text' })).toEqual({ [name]: 'text' });
    expect(specOf('example.com/v1', { [name]: {} })).toEqual({ [name]: {} });
  });

  it('canonicalIntent() removes empty lists of built-in kinds, and no other empty objects', () => {
    expect(specOf('apps/v1', { list: [], emptyDir: {}, full: [[]] })).toEqual({ emptyDir: {}, full: [[]] });
    expect(specOf('example.com/v1', { list: [], emptyDir: {} })).toEqual({ list: [], emptyDir: {} });
  });

  it.each([false, true])('canonicalIntent() keeps a member "__proto__" as a member, frozen: %s', (isFrozen) => {
    const text = '{"__proto__":{"a":1},"a":{"y":1,"x":1},"b":2}';
    const parsed: unknown = JSON.parse(text);
    const spec = specOf('example.com/v1', isFrozen ? deepFreeze(parsed) : parsed) as object;
    expect(JSON.stringify(spec)).toBe('{"__proto__":{"a":1},"a":{"x":1,"y":1},"b":2}');
    expect(Object.getPrototypeOf(spec)).toBe(Object.prototype);
  });

  it('canonicalIntent() copies a member "__proto__" after a part that is not canonical', () => {
    const spec = specOf('example.com/v1', deepFreeze(JSON.parse('{"A":{"y":1,"x":1},"__proto__":{"y":1,"x":1}}')));
    expect(JSON.stringify(spec)).toBe('{"A":{"x":1,"y":1},"__proto__":{"x":1,"y":1}}');
  });

  it('canonicalIntent() shares the frozen parts before and after a part that is not canonical', () => {
    const spec = deepFreeze({ a: { x: 1 }, b: { z: 1, y: 1 }, c: { x: 1 } });
    const copy = specOf('example.com/v1', spec) as typeof spec;
    expect([copy.a, copy.c]).toEqual([spec.a, spec.c]);
    expect([copy.a === spec.a, copy.b === spec.b, copy.c === spec.c]).toEqual([true, false, true]);
    expect(JSON.stringify(copy)).toBe('{"a":{"x":1},"b":{"y":1,"z":1},"c":{"x":1}}');
    expect(Object.isFrozen(copy)).toBe(true);
  });

  it('canonicalIntent() shares a frozen list, and copies a list that can change', () => {
    const frozen = deepFreeze([{ a: 1 }]);
    expect((specOf('v1', { list: frozen }) as { readonly list: unknown }).list).toBe(frozen);
    const open = [frozen[0]];
    const { list } = specOf('v1', { list: open }) as { readonly list: unknown };
    expect(list).not.toBe(open);
    expect(list).toEqual(open);
    expect(Object.isFrozen(list)).toBe(true);
  });

  it('canonicalIntent() shares a frozen object whose first member has an empty name', () => {
    const spec = deepFreeze({ '': 1, a: 2 });
    expect(specOf('example.com/v1', spec)).toBe(spec);
  });

  it('canonicalIntent() leaves values that are not JSON alone', () => {
    const date = new Date(0);
    expect((specOf('v1', { date }) as { readonly date: unknown }).date).toBe(date);
  });
});

it('sortedPart() keeps empty lists and maps', () => {
  expect(JSON.stringify(sortedPart({ labels: {}, data: [], a: null }))).toBe('{"data":[],"labels":{}}');
});

const sentSpec = (object: KubeObject): unknown =>
  (stamp(planInput([]), object).object as { readonly spec?: unknown }).spec;

describe('stamp()', () => {
  it('stamp() shares what is frozen and canonical', () => {
    const spec = deepFreeze({ containers: [{ env: [{ name: 'A', value: 'x' }], image: 'a', name: 'a' }] });
    expect(sentSpec(deepFreeze(intentOf(Pod, 'a', { spec })))).toBe(spec);
  });

  it.each([
    { spec: deepFreeze({ b: 1, a: 1 }), reason: 'its members are in another order' },
    { spec: deepFreeze({ a: 1, b: null }), reason: 'a member is null' },
    { spec: deepFreeze({ a: { y: 1, x: 1 } }), reason: 'a part of it has another order' },
    { spec: deepFreeze({ list: [{ y: 1, x: 1 }] }), reason: 'an element has another order' },
    { spec: deepFreeze({ empty: [] }), reason: 'an empty list is dropped' },
    { spec: { a: 1 }, reason: 'it may be changed later' },
    { spec: Object.freeze({ a: { x: 1 } }), reason: 'a part of it may be changed later' },
  ])('stamp() copies a part when $reason', ({ spec }) => {
    const copy: unknown = JSON.parse(JSON.stringify(spec));
    const stamped = sentSpec(intentOf(Pod, 'a', { spec }));
    expect(stamped).not.toBe(spec);
    expect(JSON.stringify(stamped)).toBe(JSON.stringify(sentSpec(intentOf(Pod, 'a', { spec: copy as object }))));
    expect(Object.isFrozen(stamped)).toBe(true);
  });
});
