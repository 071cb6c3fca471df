import { describe, expect, it } from 'vitest';
import { elsewhereName } from '#lib/desired/marks/elsewhere.ts';
import { adopt, apply, keep } from '#lib/desired/result/intent.ts';
import { elsewhere } from '#lib/kind/handles/elsewhere.ts';
import { type KindRef, Pod } from '#lib/kind/handles/reference.ts';
import { planChildren } from '#lib/plan/plan.ts';
import { adoption, ownerMarks, sentBy, stamp } from '#lib/plan/stamp.ts';
import { type Child, goesAway, type Plan, type Step } from '#lib/plan/step.ts';
import { Claim, childOf, intentOf, parent, planInput, Settings } from '#test/unit/support/plan-inputs.ts';

const ALLOW_PRUNE = 'cdk8s-reconcile/allow-prune';

const Away = elsewhere(Settings, { namespaces: 'any' });
const Namespace: KindRef = { apiVersion: 'v1', kind: 'Namespace', plural: 'namespaces', scope: 'Cluster' };

const some = (count: number, kind: KindRef = Pod): Child[] =>
  Array.from({ length: count }, (_, index) => childOf(kind, `c-${String(index).padStart(3, '0')}`));

const away = (count: number): Child[] =>
  Array.from({ length: count }, (_, index) =>
    childOf(Away, elsewhereName(parent(), `c${index}`), { namespace: 'team' }),
  );

const deleting = (annotations: Readonly<Record<string, string>> = {}) => {
  const { metadata, ...rest } = parent(annotations);
  return { ...rest, metadata: { ...metadata, deletionTimestamp: '2026-11-21T09:29:00Z' } };
};

const reasonsOf = ({ steps }: Plan): string[] => [...new Set(steps.map(({ step, reason }) => `${step} ${reason}`))];

interface Traits {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly isExtension?: boolean;
}

/** The plan of an extension, or of a kind, that names none of the children. */
const planWithout = (children: readonly Child[], { annotations = {}, isExtension = false }: Traits = {}): Plan => {
  const input = planInput([], { children, resource: parent(annotations), owns: [Pod, Settings, Away] });
  const definition = {
    ...input.definition,
    ...(isExtension && { extension: { of: Namespace, onRelease: 'keep' as const } }),
  };
  return planChildren({ ...input, definition });
};

describe('planPrunes()', () => {
  it('planPrunes() names the number of children and the annotation of the consent', () => {
    expect(planWithout(some(11)).stalled).toEqual({
      state: 'stalled',
      reason: 'PruneNeedsConsent',
      message: '11 of 11 children would be deleted; to allow it, annotate cdk8s-reconcile/allow-prune=generation=3',
    });
  });

  it.each([
    { consent: undefined, isGiven: false },
    { consent: 'generation=3', isGiven: false },
    { consent: 'PodSet.app.example.com=10', isGiven: false },
    { consent: 'PodSet.app.example.com=11', isGiven: true },
    { consent: 'other, PodSet.app.example.com=100', isGiven: true },
    { consent: 'Other.app.example.com=11', isGiven: false },
    { consent: 'PodSet.app.example.org=11', isGiven: false },
    { consent: 'PodSet.app.example.com=', isGiven: false },
    { consent: 'PodSet.app.example.com=all', isGiven: false },
    { consent: 'x PodSet.app.example.com=11', isGiven: false },
  ])('planPrunes() of an extension for 11 children with the consent $consent: $isGiven', ({ consent, isGiven }) => {
    const annotations = consent === undefined ? {} : { [ALLOW_PRUNE]: consent };
    const plan = planWithout(some(11), { annotations, isExtension: true });
    expect(reasonsOf(plan)).toEqual([isGiven ? 'prune Undeclared' : 'skip PruneNeedsConsent']);
    expect(plan.stalled?.message).toBe(
      isGiven
        ? undefined
        : '11 of 11 children would be deleted; to allow it, annotate cdk8s-reconcile/allow-prune=PodSet.app.example.com=11',
    );
  });

  it('planChildren() of an extension writes other children while consent is missing, because users can mark objects', () => {
    const children = some(12);
    const input = planInput([apply(intentOf(Pod, 'new'))], { children });
    const definition = { ...input.definition, extension: { of: Namespace, onRelease: 'keep' as const } };
    const plan = planChildren({ ...input, definition });
    expect(reasonsOf(plan)).toEqual(['create Missing', 'skip PruneNeedsConsent']);
  });

  it('planPrunes() counts children elsewhere apart, and their number stops no other write', () => {
    const strange = planWithout([...some(2), ...away(11)]);
    expect(reasonsOf(strange)).toEqual(['prune Undeclared', 'skip PruneNeedsConsent']);
    expect(strange.steps.filter(({ step }) => step === 'prune').map(({ kind }) => kind)).toEqual([Pod, Pod]);
    expect(strange.stalled?.message).toContain('13 of 13 children');
    const home = planWithout([...some(11), ...away(2)]);
    expect(home.steps.filter(({ step }) => step === 'prune').map(({ kind }) => kind)).toEqual([Away, Away]);
    expect(reasonsOf(planWithout([...some(8), ...away(8)]))).toEqual(['prune Undeclared']);
  });

  it('planPrunes() compares the number of children elsewhere with the other children elsewhere only', () => {
    const children = [...away(20), ...some(30)];
    const kept = [...children.slice(11, 20), ...children.slice(20)].map(({ object }) => keep(object));
    const plan = planChildren(planInput(kept, { children, owns: [Pod, Away] }));
    expect(plan.stalled?.message).toContain('11 of 50 children');
  });

  it('planPrunes() leaves the reasons of other children while consent is missing', () => {
    const children = some(12);
    const [kept] = children;
    const plan = planChildren(planInput([keep(kept?.object ?? {})], { children }));
    expect(reasonsOf(plan)).toEqual(['skip Kept', 'skip PruneNeedsConsent']);
  });

  it('planPrunes() needs no consent while the parent is being deleted', () => {
    const plan = planChildren(planInput([], { children: some(20), resource: deleting() }));
    expect(reasonsOf(plan)).toEqual(['prune Undeclared']);
    expect(plan.stalled).toBeUndefined();
  });

  it.each([
    { names: ['data'], text: 'PersistentVolumeClaim/data holds data and is kept' },
    {
      names: ['b', 'a'],
      text: 'PersistentVolumeClaim/a, PersistentVolumeClaim/b hold data and are kept',
    },
  ])('planPrunes() of a deleted parent asks for the consent to the deletion of $names', ({ names, text }) => {
    const children = [childOf(Pod, 'p'), ...names.map((name) => childOf(Claim, name))];
    const plan = planChildren(planInput([], { children, resource: deleting() }));
    const [claims = ''] = text.split(/ holds? /);
    expect(plan.stalled).toEqual({
      state: 'stalled',
      reason: 'PruneNeedsConsent',
      message: `${text}, and so is web; to delete all, annotate ${ALLOW_PRUNE}=${claims}`,
    });
    expect(reasonsOf(plan)).toEqual(['prune Undeclared', 'skip HoldsData']);
  });

  it('planPrunes() keeps the data of a parent that is not being deleted without a question', () => {
    const plan = planChildren(planInput([], { children: [childOf(Claim, 'data')] }));
    expect(plan.stalled).toBeUndefined();
    expect(reasonsOf(plan)).toEqual(['skip HoldsData']);
  });

  it('planPrunes() plans an empty uid and version for an object without metadata', () => {
    const { steps } = planChildren(planInput([], { children: [{ kind: Pod, object: {} }] }));
    expect(steps).toEqual([{ step: 'prune', kind: Pod, name: '', uid: '', resourceVersion: '', reason: 'Undeclared' }]);
  });
});

describe('planChildren()', () => {
  const orphan = childOf(Pod, 'stray');

  it('planChildren() adopts an orphan by its labels and the owner reference', () => {
    const [step] = planChildren(planInput([adopt(orphan.object)], { orphans: [orphan] })).steps;
    expect(step).toStrictEqual({
      step: 'adopt',
      kind: Pod,
      name: 'stray',
      uid: 'uid-pods-stray',
      object: adoption(planInput([]), Pod, { name: 'stray', namespace: 'default' }),
      reason: 'Orphan',
    });
    expect(step).toHaveProperty('object.metadata.namespace', 'default');
  });

  it('planChildren() adopts nothing for a parent that is being deleted', () => {
    const input = planInput([adopt(orphan.object)], { orphans: [orphan], resource: deleting() });
    expect(planChildren(input).steps).toEqual([{ step: 'skip', kind: Pod, name: 'stray', reason: 'ParentDeleting' }]);
  });

  it('planChildren() sorts equal kinds of two handles by the handle', () => {
    const children = [...away(1), ...some(1, Settings)];
    const plan = planChildren(planInput([], { children, owns: [Settings, Away] }));
    expect(plan.steps.map(({ kind }) => kind)).toEqual([Away, Settings]);
  });
});

describe('adoption()', () => {
  it('adoption() has no namespace if none is given', () => {
    const { metadata } = adoption(planInput([]), Pod, { name: 'a' });
    expect(metadata).toHaveProperty('name', 'a');
    expect(metadata).not.toHaveProperty('namespace');
  });

  it('adoption() of an extension has its label and a reference without controller', () => {
    const { definition, resource } = planInput([]);
    const extension = { of: Namespace, onRelease: 'keep' as const };
    expect(adoption({ definition: { ...definition, extension }, resource }, Pod, { name: 'a' })).toMatchObject({
      metadata: {
        labels: { 'app.example.com/podset': 'uid-web' },
        ownerReferences: [{ apiVersion: 'v1', kind: 'Namespace', name: 'web', uid: 'uid-web' }],
      },
    });
  });
});

describe('stamp()', () => {
  it('stamp() keeps the namespace of a child elsewhere, and marks the child without an owner reference', () => {
    const input = planInput([], { owns: [Settings, Away] });
    const { metadata } = stamp(input, intentOf(Away, 'a', { metadata: { name: 'a', namespace: 'team' } })).object;
    expect(metadata).toEqual({
      name: 'a',
      namespace: 'team',
      labels: { 'cdk8s-reconcile/elsewhere': 'uid-web' },
      annotations: {
        'cdk8s-reconcile/intent': expect.any(String),
        'cdk8s-reconcile/parent': 'app.example.com/podset app.example.com/v1alpha1 PodSet default/web',
      },
    });
  });

  it('stamp() adds no owner references to a custom resource elsewhere', () => {
    const shelf: KindRef = { apiVersion: 'demo.example.com/v1', kind: 'Shelf', plural: 'shelves', scope: 'Namespaced' };
    const kind = elsewhere(shelf, { namespaces: 'any' });
    const object = intentOf(kind, 'a', { metadata: { name: 'a', namespace: 'team' } });
    const { metadata } = stamp(planInput([], { owns: [kind] }), object).object;
    expect(metadata).not.toHaveProperty('ownerReferences');
  });

  it('stamp() keeps the namespace of a child of a cluster-scoped parent, and adds none', () => {
    const { metadata, ...rest } = parent();
    const input = planInput([], { resource: { ...rest, metadata: { ...metadata, namespace: '' } } });
    const placed = stamp(input, intentOf(Pod, 'a', { metadata: { name: 'a', namespace: 'team' } }));
    expect(placed.object.metadata?.namespace).toBe('team');
    expect(stamp(input, intentOf(Pod, 'a')).object.metadata).not.toHaveProperty('namespace');
  });
});

it('sentBy() returns the object of creations and applies only', () => {
  const input = planInput([]);
  const target = { kind: Pod, name: 'a', uid: 'u' };
  const object = intentOf(Pod, 'a');
  const applied: Step = { step: 'apply', ...target, object, intent: 'i', reason: 'Changed' };
  expect(sentBy(input, applied)).toBe(object);
  expect(sentBy(input, { step: 'adopt', ...target, object, reason: 'Orphan' })).toBeUndefined();
  expect(sentBy(input, { step: 'skip', ...target, reason: 'Kept' })).toBeUndefined();
});

it('ownerMarks() has the label of the parent and the annotation of the intent', () => {
  expect(ownerMarks(planInput([]))).toEqual({
    labels: { 'app.example.com/podset': 'web' },
    annotations: ['cdk8s-reconcile/intent'],
  });
});

it.each([
  ['create', false],
  ['apply', false],
  ['adopt', false],
  ['release', false],
  ['replace', true],
  ['remove', true],
  ['prune', true],
  ['skip', false],
] as const)('goesAway() of a step "%s" is %s', (step, isGone) => {
  expect(goesAway({ step })).toBe(isGone);
});
