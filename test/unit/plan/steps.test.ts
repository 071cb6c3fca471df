import { describe, expect, it } from 'vitest';
import { adopt, apply, type ChildIntent, keep, release, remove } from '#lib/desired/result/intent.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { planChildren } from '#lib/plan/plan.ts';
import type { Child, Step } from '#lib/plan/step.ts';
import {
  Claim,
  childOf,
  intentOf,
  madeOf,
  type PlanTraits,
  planInput,
  Settings,
} from '#test/unit/support/plan-inputs.ts';

/** A step without the handle of its kind and without its request body. */
const brief = ({ kind, ...step }: Step): object => {
  const absent = { object: undefined, intent: '', declared: undefined };
  const { object: _object, intent: _intent, declared: _declared, ...rest } = { ...absent, ...step };
  return { kind: kind.kind, ...rest };
};

const plan = (intents: readonly ChildIntent[], traits: PlanTraits = {}): object[] =>
  planChildren(planInput(intents, traits)).steps.map(brief);

const terminating = { deletionTimestamp: '2026-11-21T09:29:00Z', deletionGracePeriodSeconds: 30 };
const pod = childOf(Pod, 'a');
const settings = childOf(Settings, 'a');
const dying = childOf(Pod, 'a', terminating);

interface Case {
  readonly reason: string;
  readonly children?: readonly Child[];
  readonly orphans?: readonly Child[];
  readonly intents: readonly ChildIntent[];
  readonly step: object;
}

const removedAtOnce = {
  step: 'remove',
  kind: 'Pod',
  name: 'a',
  uid: 'uid-pods-a',
  resourceVersion: '7',
  gracePeriodSeconds: 0,
  reason: 'Stuck',
};

const cases: Case[] = [
  {
    reason: 'a declared child is not there',
    intents: [apply(intentOf(Pod, 'a'))],
    step: { step: 'create', kind: 'Pod', name: 'a', reason: 'Missing' },
  },
  {
    reason: 'a declared child is there, made of the same intent',
    children: [madeOf(Pod, intentOf(Pod, 'a', { spec: { x: 1, y: 2 } }))],
    intents: [apply(intentOf(Pod, 'a', { spec: { y: 2, x: 1 } }))],
    step: { step: 'skip', kind: 'Pod', name: 'a', reason: 'Unchanged' },
  },
  {
    reason: 'a declared child is there, made of another intent',
    children: [madeOf(Pod, intentOf(Pod, 'a', { spec: { x: 1 } }))],
    intents: [apply(intentOf(Pod, 'a', { spec: { x: 2 } }))],
    step: { step: 'apply', kind: 'Pod', name: 'a', uid: 'uid-pods-a', reason: 'Changed' },
  },
  {
    reason: 'a declared child exists and its intent is unknown',
    children: [pod],
    intents: [apply(intentOf(Pod, 'a'))],
    step: { step: 'apply', kind: 'Pod', name: 'a', uid: 'uid-pods-a', reason: 'Changed' },
  },
  {
    reason: 'a declared child is on its way out and holds the name',
    children: [dying],
    intents: [apply(intentOf(Pod, 'a'))],
    step: { step: 'skip', kind: 'Pod', name: 'a', reason: 'Terminating' },
  },
  {
    reason: 'a declared child of a kind that changes is there',
    children: [settings],
    intents: [apply(intentOf(Settings, 'a'))],
    step: { step: 'apply', kind: 'ConfigMap', name: 'a', uid: 'uid-configmaps-a', reason: 'Changed' },
  },
  {
    reason: 'the live object must not have changed since it was observed',
    children: [settings],
    intents: [apply(intentOf(Settings, 'a'), { ifUnchanged: settings.object })],
    step: {
      step: 'apply',
      kind: 'ConfigMap',
      name: 'a',
      uid: 'uid-configmaps-a',
      resourceVersion: '7',
      reason: 'Changed',
    },
  },
  {
    reason: 'a child of another kind has the name',
    children: [settings],
    intents: [apply(intentOf(Pod, 'a')), keep(settings.object)],
    step: { step: 'create', kind: 'Pod', name: 'a', reason: 'Missing' },
  },
  {
    reason: 'a child is kept',
    children: [pod],
    intents: [keep(pod.object)],
    step: { step: 'skip', kind: 'Pod', name: 'a', reason: 'Kept' },
  },
  {
    reason: 'a terminating child is kept: there is nothing else to do',
    children: [dying],
    intents: [keep(dying.object)],
    step: { step: 'skip', kind: 'Pod', name: 'a', reason: 'Kept' },
  },
  {
    reason: 'an orphan is adopted',
    orphans: [pod],
    intents: [adopt(pod.object)],
    step: { step: 'adopt', kind: 'Pod', name: 'a', uid: 'uid-pods-a', reason: 'Orphan' },
  },
  {
    reason: 'a child is released',
    children: [pod],
    intents: [release(pod.object)],
    step: {
      step: 'release',
      kind: 'Pod',
      name: 'a',
      uid: 'uid-pods-a',
      marks: { labels: { 'app.example.com/podset': 'web' }, annotations: ['cdk8s-reconcile/intent'] },
      reason: 'Released',
    },
  },
  {
    reason: 'a child is removed',
    children: [pod],
    intents: [remove(pod.object, 'ScaledDown')],
    step: { step: 'remove', kind: 'Pod', name: 'a', uid: 'uid-pods-a', resourceVersion: '7', reason: 'ScaledDown' },
  },
  {
    reason: 'a child is removed without grace',
    children: [pod],
    intents: [remove(pod.object, 'Stuck', { gracePeriodSeconds: 0 })],
    step: removedAtOnce,
  },
  {
    reason: 'a child is being deleted already',
    children: [dying],
    intents: [remove(dying.object, 'ScaledDown')],
    step: { step: 'skip', kind: 'Pod', name: 'a', reason: 'Terminating' },
  },
  {
    reason: 'a child is being deleted with the same grace already',
    children: [dying],
    intents: [remove(dying.object, 'ScaledDown', { gracePeriodSeconds: 30 })],
    step: { step: 'skip', kind: 'Pod', name: 'a', reason: 'Terminating' },
  },
  {
    reason: 'a deletion that has begun gets a shorter grace',
    children: [dying],
    intents: [remove(dying.object, 'Stuck', { gracePeriodSeconds: 0 })],
    step: removedAtOnce,
  },
  {
    reason: 'a deletion without grace cannot be made shorter',
    children: [childOf(Pod, 'a', { ...terminating, deletionGracePeriodSeconds: 0 })],
    intents: [remove(dying.object, 'Stuck', { gracePeriodSeconds: 30 })],
    step: { step: 'skip', kind: 'Pod', name: 'a', reason: 'Terminating' },
  },
  {
    reason: 'a child is named by no intent',
    children: [pod],
    intents: [],
    step: { step: 'prune', kind: 'Pod', name: 'a', uid: 'uid-pods-a', resourceVersion: '7', reason: 'Undeclared' },
  },
];

describe('planChildren()', () => {
  it.each(cases)('planChildren() plans $step when $reason', ({ intents, children = [], orphans = [], step }) => {
    expect(plan(intents, { children, orphans })).toContainEqual(step);
  });

  it('planChildren() plans nothing when nothing is wanted and nothing is there', () => {
    expect(planChildren(planInput([]))).toEqual({ steps: [], pins: new Map() });
  });

  it('planChildren() shares the empty pins of plans, so that resources at rest need little memory', () => {
    const pinned = { ...planInput([], { children: [pod] }), pins: new Map([['gone', { intent: 'gone' }]]) };
    expect(planChildren(planInput([])).pins).toBe(planChildren(pinned).pins);
  });

  it('planChildren() removes a child without options and without a version by its uid alone', () => {
    const child = {
      kind: Pod,
      object: { ...intentOf(Pod, 'a'), metadata: { name: 'a', namespace: 'default', uid: 'u' } },
    };
    const { steps } = planChildren(planInput([remove(child.object, 'Why')], { children: [child] }));
    expect(steps).toStrictEqual([{ step: 'remove', kind: Pod, name: 'a', uid: 'u', reason: 'Why' }]);
  });

  it('planChildren() creates before it changes, and deletes at last', () => {
    const children = [
      childOf(Pod, 'kept'),
      childOf(Pod, 'released'),
      childOf(Pod, 'removed'),
      childOf(Pod, 'pruned'),
      childOf(Settings, 'changed'),
    ];
    const [kept, released, removed] = children.map(({ object }) => object);
    const intents = [
      keep(kept ?? {}),
      remove(removed ?? {}, 'Why'),
      release(released ?? {}),
      adopt(pod.object),
      apply(intentOf(Settings, 'changed')),
      apply(intentOf(Pod, 'created')),
    ];
    const { steps } = planChildren(planInput(intents, { children, orphans: [pod] }));
    expect(steps.map(({ step }) => step)).toEqual(['create', 'apply', 'adopt', 'release', 'remove', 'prune', 'skip']);
  });

  it('planChildren() creates kinds in the order of owns and takes them away in reverse, each by name', () => {
    const owns = [Settings, Pod, Claim];
    const made = [
      apply(intentOf(Claim, 'x')),
      apply(intentOf(Pod, 'y')),
      apply(intentOf(Pod, 'x')),
      apply(intentOf(Settings, 'x')),
    ];
    const gone = [childOf(Settings, 'p'), childOf(Pod, 'q'), childOf(Pod, 'p')];
    const steps = plan(made, { owns, children: gone });
    expect(steps.map((step) => Object.values(step).slice(0, 3))).toEqual([
      ['ConfigMap', 'create', 'x'],
      ['Pod', 'create', 'x'],
      ['Pod', 'create', 'y'],
      ['PersistentVolumeClaim', 'create', 'x'],
      ['Pod', 'prune', 'p'],
      ['Pod', 'prune', 'q'],
      ['ConfigMap', 'prune', 'p'],
    ]);
  });
});
