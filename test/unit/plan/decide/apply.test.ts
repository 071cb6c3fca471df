import { describe, expect, it } from 'vitest';
import { apply, keep } from '#lib/desired/result/intent.ts';
import { ConfigMap, type KindRef, Pod } from '#lib/kind/handles/reference.ts';
import type { Immutable, Pin } from '#lib/plan/fields/pin.ts';
import { planChildren } from '#lib/plan/plan.ts';
import { stamp } from '#lib/plan/stamp.ts';
import type { Child, Plan } from '#lib/plan/step.ts';
import { Claim, childOf, intentOf, madeOf, parent, planInput } from '#test/unit/support/plan-inputs.ts';

const spec = { spec: { x: 'one' } };
const intent = intentOf(ConfigMap, 'a', spec);
const uid = 'uid-configmaps-a';
const { intent: hash } = stamp(planInput([]), intent);

/** The child that a cache has after an apply of the intent. */
const made: Child = (() => {
  const { object, ...child } = madeOf(ConfigMap, intent);
  return { ...child, object: { ...object, ...spec } };
})();

const pinOf = ({ owned }: Child, more: Partial<Pin> = {}): Pin => ({ intent: hash, ...(owned && { owned }), ...more });

/** A spec with a list of elements that have a name as their key. */
const listOf = (...names: string[]) => ({ spec: { list: names.map((name) => ({ name, x: name })) } });

interface Traits {
  readonly pin?: Pin;
  readonly immutable?: Immutable;
  readonly owns?: readonly KindRef[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly more?: readonly Child[];
}

const planFor = (child: Child, { pin, immutable, owns, annotations = {}, more = [] }: Traits = {}): Plan => {
  const id = child.object.metadata?.uid ?? '';
  const declared = { ...intent, kind: child.kind.kind };
  const children = [child, ...more];
  const resource = parent(annotations);
  return planChildren({
    ...planInput([apply(declared)], { children, resource, ...(owns && { owns }), partial: 'one child' }),
    ...(pin && { pins: new Map([[id, pin]]) }),
    ...(immutable && { immutables: new Map([[id, immutable]]) }),
  });
};

const owns = [ConfigMap];
const first = (plan: Plan) => plan.steps.find(({ name }) => name === 'a');

describe('planApply()', () => {
  it('planApply() skips a child whose pin matches, and remembers the pin', () => {
    const pin = pinOf(made);
    const plan = planFor(made, { pin, owns });
    expect(first(plan)).toMatchObject({ step: 'skip', reason: 'Unchanged' });
    expect(plan.pins).toEqual(new Map([[uid, pin]]));
  });

  it('planApply() pins a child without a pin that needs no write', () => {
    const plan = planFor(made, { owns });
    expect(first(plan)).toMatchObject({ step: 'skip', reason: 'Unchanged' });
    expect(plan.pins).toStrictEqual(new Map([[uid, { intent: hash, owned: made.owned }]]));
  });

  it('planApply() trusts the pin, and not the annotation, which other clients can write', () => {
    const { object } = made;
    const forged = { ...made, object: { ...object, metadata: { ...object.metadata, annotations: {} } } };
    expect(first(planFor(forged, { pin: pinOf(made), owns }))).toMatchObject({ step: 'skip', reason: 'Unchanged' });
    const stale = { pin: pinOf(made, { intent: 'another' }), owns };
    expect(first(planFor(made, stale))).toMatchObject({ step: 'apply', reason: 'Changed' });
  });

  it('planApply() applies a child with changed fields, names the lost fields, and keeps the pin until the response', () => {
    const pin = pinOf(made);
    const { 'f:spec': _, ...others } = made.owned?.set.tree ?? {};
    const drifted = { ...made, owned: { set: { id: 'fewer', tree: others }, values: 1 } };
    const plan = planFor(drifted, { pin, owns });
    expect(first(plan)).toMatchObject({
      step: 'apply',
      reason: 'Drifted',
      uid,
      intent: hash,
      lost: [['f:spec', 'f:x']],
    });
    expect(first(plan)).not.toHaveProperty('overrides');
    expect(plan.pins).toEqual(new Map([[uid, pin]]));
  });

  it('planApply() names all fields as lost when the child shows none, and no fields for a pin without fields', () => {
    const { owned: _, ...bare } = made;
    const step = first(planFor(bare, { pin: pinOf(made), owns }));
    expect(step).toMatchObject({ reason: 'Drifted', lost: expect.arrayContaining([['f:spec', 'f:x'], ['f:kind']]) });
    const unknown = first(planFor(made, { pin: { intent: hash }, owns }));
    expect(unknown).toMatchObject({ reason: 'Drifted' });
    expect(unknown).not.toHaveProperty('lost');
  });

  it('planApply() applies a child that shows no fields, or not all of the intent, when there is no pin', () => {
    const { owned: _, ...bare } = made;
    const plan = planFor(bare, { owns });
    expect(first(plan)).toMatchObject({ step: 'apply', reason: 'Unverified' });
    expect(first(plan)).not.toHaveProperty('lost');
    expect(plan.pins.size).toBe(0);
    const { 'f:spec': _spec, ...others } = made.owned?.set.tree ?? {};
    const fewer = { ...made, owned: { set: { id: 'fewer', tree: others }, values: 1 } };
    expect(first(planFor(fewer, { owns }))).toMatchObject({ step: 'apply', reason: 'Unverified' });
  });

  it('planApply() compares the values of a map that is owned as a whole when there is no pin', () => {
    const owned = { set: { id: 'whole', tree: { ...made.owned?.set.tree, 'f:spec': {} } }, values: 1 };
    expect(first(planFor({ ...made, owned }, { owns }))).toMatchObject({ step: 'skip', reason: 'Unchanged' });
    const object = { ...made.object, spec: { x: 'two' } };
    expect(first(planFor({ ...made, owned, object }, { owns }))).toMatchObject({ step: 'apply', reason: 'Unverified' });
  });

  it('planApply() applies a child again whose pin has overrides', () => {
    const overrides = [{ way: ['f:spec', 'f:x'], wanted: 'one', found: 'two' }];
    const step = first(planFor(made, { pin: pinOf(made, { overrides }), owns }));
    expect(step).toMatchObject({ step: 'apply', reason: 'Overridden', overrides });
    expect(step).not.toHaveProperty('lost');
    expect(first(planFor(made, { pin: pinOf(made, { overrides: [] }), owns }))).toMatchObject({ reason: 'Unchanged' });
  });

  it('planApply() finds overrides in the kept fields when there is no pin, unless the kind is createOnce', () => {
    const child = { ...made, object: { ...made.object, spec: { x: 'two' } } };
    expect(first(planFor(child, { owns }))).toMatchObject({
      reason: 'Overridden',
      overrides: [{ way: ['f:spec', 'f:x'], wanted: 'one', found: 'two' }],
    });
    const pod = madeOf(Pod, intentOf(Pod, 'a', spec));
    const changed = { ...pod, object: { ...pod.object, spec: { x: 'two' } } };
    expect(first(planFor(changed, { owns: [Pod] }))).toMatchObject({ step: 'skip', reason: 'Unchanged' });
  });

  it('planApply() finds an element by its keys when there is no pin', () => {
    const declared = intentOf(ConfigMap, 'a', listOf('one'));
    const entry = { 'f:name': {}, 'f:x': {} };
    const tree = { ...made.owned?.set.tree, 'f:spec': { 'f:list': { 'k:{"name":"one"}': entry } } };
    const child = (more: object): Child => ({
      ...madeOf(ConfigMap, declared),
      owned: { set: { id: 'list', tree }, values: 1 },
      object: { ...madeOf(ConfigMap, declared).object, ...more },
    });
    const stepFor = (more: object) =>
      first(planChildren(planInput([apply(declared)], { children: [child(more)], owns })));
    expect(stepFor(listOf('other', 'one'))).toMatchObject({ step: 'skip', reason: 'Unchanged' });
    expect(stepFor({ spec: { list: [{ name: 'other' }, { name: 'one', x: 'two' }] } })).toMatchObject({
      reason: 'Overridden',
      overrides: [{ way: ['f:spec', 'f:list', 'k:{"name":"one"}', 'f:x'], wanted: 'one', found: 'two' }],
    });
  });

  it('planApply() sends no precondition without ifUnchanged', () => {
    const step = first(planFor(childOf(ConfigMap, 'a'), { owns }));
    expect(step).toMatchObject({ step: 'apply', reason: 'Changed', uid });
    for (const name of ['resourceVersion', 'patch', 'lost', 'overrides']) expect(step).not.toHaveProperty(name);
  });

  it('planChildren() keeps the pins of other children, but not those of createOnce kinds', () => {
    const others = [childOf(ConfigMap, 'b'), childOf(Pod, 'c'), childOf(ConfigMap, 'd')];
    const pins = new Map([
      ['uid-configmaps-b', { intent: 'b' }],
      ['uid-pods-c', { intent: 'c' }],
      ['gone', { intent: 'gone' }],
    ]);
    const input = planInput(
      others.map(({ object }) => keep(object)),
      { children: others },
    );
    expect(planChildren({ ...input, pins }).pins).toEqual(new Map([['uid-configmaps-b', { intent: 'b' }]]));
    expect(planChildren({ ...input, pins: new Map([['gone', { intent: 'gone' }]]) }).pins).toEqual(new Map());
  });

  it('planChildren() replaces a pin by that of the same plan', () => {
    const other = childOf(ConfigMap, 'b');
    const old = pinOf(made, { overrides: [] });
    const input = planInput([apply(intent), keep(other.object)], { children: [made, other] });
    const pins = new Map<string, Pin>([
      [uid, old],
      ['uid-configmaps-b', { intent: 'b' }],
    ]);
    expect([...planChildren({ ...input, pins }).pins]).toEqual([
      [uid, old],
      ['uid-configmaps-b', { intent: 'b' }],
    ]);
  });
});

describe('planImmutable()', () => {
  const changed = childOf(ConfigMap, 'a');
  const refused: Immutable = { intent: hash, fields: ['spec.a', 'spec.b'] };
  const Replaced: KindRef = { ...ConfigMap, onImmutableField: 'replace' };
  const Guarded: KindRef = { ...Replaced, holdsData: true };

  it('planImmutable() leaves the child of a refused intent, and the resource is stalled', () => {
    const plan = planFor(changed, { immutable: refused, owns });
    expect(first(plan)).toEqual({
      step: 'skip',
      kind: ConfigMap,
      name: 'a',
      reason: 'ImmutableField',
      fields: ['spec.a', 'spec.b'],
    });
    expect(plan.stalled).toMatchObject({
      state: 'stalled',
      reason: 'ImmutableField',
      message:
        'spec.a, spec.b of ConfigMap "a" cannot be changed once it exists; undo the change, or delete the ConfigMap to have it created again',
    });
    expect(plan.pins.size).toBe(0);
  });

  it.each([ConfigMap, Pod])('planImmutable() keeps the pin of the child of the kind $kind', (kind) => {
    const child = childOf(kind, 'a');
    const immutable = { ...refused, intent: stamp(planInput([]), intentOf(kind, 'a', spec)).intent };
    const pin: Pin = { intent: 'before' };
    const plan = planFor(child, { immutable, owns: [kind], pin });
    expect(first(plan)).toMatchObject({ step: 'skip', reason: 'ImmutableField' });
    expect(plan.pins).toEqual(new Map([[child.object.metadata?.uid, pin]]));
  });

  it('planApply() tries another intent than the refused one', () => {
    const plan = planFor(changed, { immutable: { ...refused, intent: 'another' }, owns });
    expect(first(plan)).toMatchObject({ step: 'apply', reason: 'Changed' });
    expect(plan.stalled).toBeUndefined();
  });

  it('planImmutable() replaces the child if the kind allows it', () => {
    const plan = planFor({ ...changed, kind: Replaced }, { immutable: refused, owns: [Replaced] });
    expect(first(plan)).toEqual({ step: 'replace', kind: Replaced, name: 'a', uid, reason: 'ImmutableField' });
    expect(plan.stalled).toBeUndefined();
  });

  it.each([
    { consent: 'ConfigMap/a', step: 'replace' },
    { consent: 'ConfigMap/b', step: 'skip' },
  ])('planImmutable() plans "$step" for a child with data and the consent to $consent', ({ consent, step }) => {
    const annotations = { 'cdk8s-reconcile/allow-prune': consent };
    const plan = planFor({ ...changed, kind: Guarded }, { immutable: refused, owns: [Guarded], annotations });
    expect(first(plan)).toMatchObject({ step, reason: 'ImmutableField' });
    expect(plan.stalled?.message).toBe(
      step === 'replace'
        ? undefined
        : 'spec.a, spec.b of ConfigMap "a" cannot be changed once it exists; it holds data; to have it replaced, annotate cdk8s-reconcile/allow-prune=ConfigMap/a',
    );
  });

  it('stalledByImmutable() names a child that stays, and not a replaced child', () => {
    const kinds = [Replaced, Pod];
    const intents = kinds.map((kind) => intentOf(kind, 'a', spec));
    const immutables = new Map(
      kinds.map((kind, index) => [
        `uid-${kind.plural}-a`,
        { intent: stamp(planInput([]), intents[index] ?? {}).intent, fields: ['spec.x'] },
      ]),
    );
    const children = kinds.map((kind) => childOf(kind, 'a'));
    const input = planInput(
      intents.map((one) => apply(one)),
      { children, owns: kinds },
    );
    const plan = planChildren({ ...input, immutables });
    expect(plan.steps.map(({ step }) => step)).toEqual(['replace', 'skip']);
    expect(plan.stalled?.message).toMatch(/^spec\.x of Pod "a" cannot be changed once it exists; undo /);
  });

  it('stalledByImmutable() names the first of several children, and the number of the others', () => {
    const names = ['a', 'b', 'c'];
    const children = names.map((name) => childOf(ConfigMap, name));
    const intents = names.map((name) => intentOf(ConfigMap, name, spec));
    const immutables = new Map(
      intents.map((one) => [
        `uid-configmaps-${one.metadata?.name}`,
        { intent: stamp(planInput([]), one).intent, fields: ['spec.x'] },
      ]),
    );
    const input = planInput(
      intents.map((one) => apply(one)),
      { children, owns: [ConfigMap, Claim] },
    );
    expect(planChildren({ ...input, immutables }).stalled?.message).toMatch(
      /^spec\.x of ConfigMap "a" \(and 2 more\) cannot be changed once it exists; undo /,
    );
  });
});
