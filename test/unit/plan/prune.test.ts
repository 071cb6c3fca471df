import { describe, expect, it } from 'vitest';
import { apply, keep, remove } from '#lib/desired/result/intent.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { planChildren } from '#lib/plan/plan.ts';
import type { Child, Plan } from '#lib/plan/step.ts';
import { Claim, childOf, intentOf, type PlanTraits, parent, planInput } from '#test/unit/support/plan-inputs.ts';

const ALLOW_PRUNE = 'cdk8s-reconcile/allow-prune';

const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `pod-${String(i).padStart(3, '0')}`);
const pods = (count: number): Child[] => names(count).map((name) => childOf(Pod, name));
const terminating = { deletionTimestamp: '2026-11-21T09:29:00Z' };

/** A plan that keeps the first `kept` of the children and names no other child. */
const planKeeping = (kept: number, children: readonly Child[], traits: PlanTraits = {}): Plan =>
  planChildren(
    planInput(
      children.slice(0, kept).map(({ object }) => keep(object)),
      { ...traits, children },
    ),
  );

const count = ({ steps }: Plan, step: string): number => steps.filter((it) => it.step === step).length;

const reasonsOf = ({ steps }: Plan): string[] => [...new Set(steps.map(({ step, reason }) => `${step} ${reason}`))];

describe('planPrunes()', () => {
  it('planPrunes() deletes only the very state that was observed', () => {
    const { steps } = planKeeping(0, [childOf(Pod, 'a')]);
    expect(steps).toEqual([
      { step: 'prune', kind: Pod, name: 'a', uid: 'uid-pods-a', resourceVersion: '7', reason: 'Undeclared' },
    ]);
  });

  it('planPrunes() leaves a child alone when it is terminating already', () => {
    expect(reasonsOf(planKeeping(0, [childOf(Pod, 'a', terminating)]))).toEqual(['skip Terminating']);
  });

  it('planPrunes() prunes nothing when the result is partial, and removes are carried out all the same', () => {
    const [a, b] = pods(2) as [Child, Child];
    const traits = { children: [a, b], partial: 'could not list' };
    expect(reasonsOf(planChildren(planInput([remove(a.object, 'Why')], traits)))).toEqual([
      'remove Why',
      'skip PartialResult',
    ]);
  });

  it('planPrunes() counts an empty reason as partial, too', () => {
    expect(reasonsOf(planKeeping(0, pods(1), { partial: '' }))).toEqual(['skip PartialResult']);
  });

  it.each([
    { annotation: undefined, step: 'skip HoldsData', reason: 'there is no consent' },
    { annotation: 'PersistentVolumeClaim/data', step: 'prune Undeclared', reason: 'the claim is named' },
    { annotation: ' Pod/a , PersistentVolumeClaim/data ', step: 'prune Undeclared', reason: 'it is one of several' },
    { annotation: 'PersistentVolumeClaim/data-2', step: 'skip HoldsData', reason: 'another claim is named' },
    { annotation: 'PersistentVolumeClaim/dat', step: 'skip HoldsData', reason: 'a part of the name is named' },
    { annotation: 'Pod/data', step: 'skip HoldsData', reason: 'another kind is named' },
    { annotation: 'PersistentVolumeClaim/*', step: 'skip HoldsData', reason: 'wildcards mean nothing' },
    { annotation: 'data', step: 'skip HoldsData', reason: 'the kind is missing' },
    { annotation: 'generation=3', step: 'skip HoldsData', reason: 'consent to numbers is no consent to data' },
  ])('planPrunes() plans "$step" for what holds data when $reason', ({ annotation, step }) => {
    const resource = parent(annotation === undefined ? {} : { [ALLOW_PRUNE]: annotation });
    expect(reasonsOf(planKeeping(0, [childOf(Claim, 'data')], { resource }))).toEqual([step]);
  });

  it.each([
    { children: 10, kept: 0, reason: 'ten are few, even if they are all' },
    { children: 22, kept: 11, reason: 'eleven are exactly half of 22' },
    { children: 100, kept: 50, reason: 'fifty are exactly half of a hundred' },
    { children: 100, kept: 60, reason: 'forty of a hundred are less than half' },
  ])('planPrunes() needs no consent when $reason', ({ children, kept }) => {
    const plan = planKeeping(kept, pods(children));
    expect(plan.stalled).toBeUndefined();
    expect(count(plan, 'prune')).toBe(children - kept);
  });

  it.each([
    { children: 11, kept: 0, reason: 'eleven of eleven would go' },
    { children: 21, kept: 10, reason: 'eleven are more than half of 21' },
    { children: 1000, kept: 499, reason: '501 of a thousand would go' },
  ])('planPrunes() deletes nothing and is stalled when $reason', ({ children, kept }) => {
    const plan = planKeeping(kept, pods(children));
    expect(plan.stalled).toMatchObject({ state: 'stalled', reason: 'PruneNeedsConsent' });
    expect(plan.stalled?.message).toContain(`${children - kept} of ${children}`);
    expect(count(plan, 'prune')).toBe(0);
  });

  it.each([
    { annotation: 'generation=3', pruned: 11, reason: 'it names this generation' },
    { annotation: 'Pod/x, generation=3', pruned: 11, reason: 'it names this generation among others' },
    { annotation: 'generation=2', pruned: 0, reason: 'it was given to an older generation' },
    { annotation: 'generation=33', pruned: 0, reason: 'it was given to another generation' },
    { annotation: 'generation=*', pruned: 0, reason: 'it names no generation' },
    { annotation: '', pruned: 0, reason: 'it is empty' },
  ])('planPrunes() prunes $pruned of 11 when the consent is "$annotation" and $reason', ({ annotation, pruned }) => {
    const plan = planKeeping(0, pods(11), { resource: parent({ [ALLOW_PRUNE]: annotation }) });
    expect(count(plan, 'prune')).toBe(pruned);
    expect(plan.stalled === undefined).toBe(pruned > 0);
  });

  it('planPrunes() does not count what would not be pruned anyway', () => {
    const children = [
      ...pods(10),
      ...names(10).map((name) => childOf(Claim, name)),
      ...names(5).map((name) => childOf(Pod, `dying-${name}`, terminating)),
    ];
    const plan = planKeeping(0, children);
    expect(plan.stalled).toBeUndefined();
    expect(count(plan, 'prune')).toBe(10);
  });

  it('planPrunes() does not count removals, for which the function has a reason', () => {
    const children = pods(30);
    const intents = children.map(({ object }) => remove(object, 'ScaledDown'));
    const plan = planChildren(planInput(intents, { children }));
    expect(plan.stalled).toBeUndefined();
    expect(count(plan, 'remove')).toBe(30);
  });

  it('planPrunes() needs no consent when the result is partial', () => {
    expect(planKeeping(0, pods(30), { partial: 'could not list' }).stalled).toBeUndefined();
  });

  it('planChildren() writes nothing at all while consent is missing', () => {
    const children = pods(12);
    const [first] = children as [Child];
    const intents = [remove(first.object, 'Why'), apply(intentOf(Pod, 'new'))];
    const plan = planChildren(planInput(intents, { children }));
    expect(reasonsOf(plan)).toEqual(['skip PruneNeedsConsent']);
    expect(plan.steps).toHaveLength(13);
  });
});
