import { describe, expect, it } from 'vitest';
import { deepFreeze } from '#lib/desired/canonical/freeze.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { type KindRef, type KubeObject, Pod } from '#lib/kind/handles/reference.ts';
import { planChildren } from '#lib/plan/plan.ts';
import { sentBy, stamp } from '#lib/plan/stamp.ts';
import { intentOf, planInput, Settings } from '#test/unit/support/plan-inputs.ts';

const MISSING = 10_000;

const specOf = (object: KubeObject): unknown => (object as { readonly spec?: unknown }).spec;

/** An intent that counts how often its body is looked into. */
const counted = (kind: KindRef, name: string, looks: { count: number }): KubeObject =>
  intentOf(kind, name, {
    data: {
      get text() {
        looks.count += 1;
        return name;
      },
    },
  });

describe('planChildren() of a large set', () => {
  it.each([Pod, Settings])('planChildren() looks into no $kind that is missing, however many there are', (kind) => {
    const looks = { count: 0 };
    const intents = Array.from({ length: MISSING }, (_, index) => apply(counted(kind, `c-${index}`, looks)));
    const input = planInput(intents);
    looks.count = 0;
    const { steps } = planChildren(input);
    expect(steps).toHaveLength(MISSING);
    expect(looks.count).toBe(0);
  });

  it('planChildren() holds the object of the function, and sentBy() what is sent', () => {
    const object = intentOf(Pod, 'a', { spec: { containers: [] } });
    const input = planInput([apply(object)]);
    const [step] = planChildren(input).steps;
    expect(step).toEqual({ step: 'create', kind: Pod, name: 'a', declared: object, reason: 'Missing' });
    expect(step && sentBy(input, step)).toStrictEqual(stamp(input, object).object);
  });
});

describe('stamp() of a large intent', () => {
  const input = planInput([]);

  it('stamp() shares what is frozen and canonical', () => {
    const spec = deepFreeze({ containers: [{ env: [{ name: 'A', value: 'x' }], image: 'a', name: 'a' }] });
    expect(specOf(stamp(input, deepFreeze(intentOf(Pod, 'a', { spec }))).object)).toBe(spec);
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
    const stamped = specOf(stamp(input, intentOf(Pod, 'a', { spec })).object);
    expect(stamped).not.toBe(spec);
    expect(JSON.stringify(stamped)).toBe(
      JSON.stringify(specOf(stamp(input, intentOf(Pod, 'a', { spec: copy as object })).object)),
    );
    expect(Object.isFrozen(stamped)).toBe(true);
  });
});
