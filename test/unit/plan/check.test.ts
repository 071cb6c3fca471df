import { describe, expect, it } from 'vitest';
import { adopt, apply, type ChildIntent, keep, release, remove } from '#lib/desired/result/intent.ts';
import { InvalidDesiredError } from '#lib/errors.ts';
import { type KubeObject, labelled, Pod } from '#lib/kind/handles/reference.ts';
import { checkDesired } from '#lib/plan/check.ts';
import { planChildren } from '#lib/plan/plan.ts';
import { childOf, intentOf, planInput, Settings } from '#test/unit/support/plan-inputs.ts';

const child = childOf(Pod, 'a');
const other = childOf(Pod, 'b');
const orphan = childOf(Pod, 'stray');
const stranger = childOf(Pod, 'stranger');
const observed = { children: [child, other], orphans: [orphan] };

const pod = (metadata: object): KubeObject => ({ ...intentOf(Pod, 'new'), metadata: { name: 'new', ...metadata } });

/** Path and rule of every issue. */
const issuesOf = (intents: readonly ChildIntent[]): string[] => {
  try {
    checkDesired(planInput(intents, observed));
    return [];
  } catch (error) {
    if (!(error instanceof InvalidDesiredError)) throw error;
    return error.issues.map(({ path, rule }) => `${path} ${rule}`);
  }
};

describe('checkDesired()', () => {
  it.each([
    { intents: [], reason: 'nothing is wanted' },
    { intents: [apply(intentOf(Pod, 'new'))], reason: 'an owned kind is declared' },
    { intents: [apply(pod({ namespace: 'default' }))], reason: 'the parent’s own namespace is named' },
    { intents: [apply(pod({ labels: { app: 'x' } }))], reason: 'labels are the function’s own' },
    { intents: [apply(pod({ labels: { 'app.example.com/podset': 'web' } }))], reason: 'the owner label is right' },
    { intents: [apply(intentOf(Pod, 'a.b-c.1'))], reason: 'a name has dots' },
    { intents: [apply(intentOf(Pod, 'a'.repeat(253)))], reason: 'a name is as long as it may be' },
    { intents: [apply(intentOf(Pod, 'a'))], reason: 'an observed child is declared again' },
    { intents: [apply(intentOf(Settings, 'a')), keep(child.object)], reason: 'two kinds share a name' },
    { intents: [keep(child.object), remove(other.object, 'Why')], reason: 'observed children are named' },
    { intents: [release(child.object), adopt(orphan.object)], reason: 'a child goes and an orphan comes' },
  ])('checkDesired() accepts a result when $reason', ({ intents }) => {
    expect(issuesOf(intents)).toEqual([]);
  });

  it.each([
    { intent: apply({ metadata: { name: 'new' } }), issue: 'kind owned-kind', reason: 'no kind at all' },
    {
      intent: apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'new' } }),
      issue: 'kind owned-kind',
      reason: 'a kind that is not owned',
    },
    {
      intent: apply({ apiVersion: 'v2', kind: 'Pod', metadata: { name: 'new' } }),
      issue: 'kind owned-kind',
      reason: 'another version of an owned kind',
    },
    {
      intent: apply({ apiVersion: 'evil.example.com/v1', kind: 'Pod', metadata: { name: 'new' } }),
      issue: 'kind owned-kind',
      reason: 'a kind of the same name from another group',
    },
    {
      intent: apply(pod({ namespace: 'kube-system' })),
      issue: 'metadata.namespace same-namespace',
      reason: 'another namespace',
    },
    { intent: apply(pod({ namespace: '' })), issue: 'metadata.namespace same-namespace', reason: 'an empty namespace' },
    { intent: apply(pod({ name: '' })), issue: 'metadata.name name', reason: 'an empty name' },
    { intent: apply({ apiVersion: 'v1', kind: 'Pod' }), issue: 'metadata.name name', reason: 'no metadata' },
    { intent: apply(pod({ name: 'Web_1' })), issue: 'metadata.name name', reason: 'a name that is no DNS subdomain' },
    { intent: apply(pod({ name: '../secrets/x' })), issue: 'metadata.name name', reason: 'a name that is a path' },
    { intent: apply(pod({ name: 'web\n' })), issue: 'metadata.name name', reason: 'a name with a line break' },
    { intent: apply(pod({ name: 'a'.repeat(254) })), issue: 'metadata.name name', reason: 'a name that is too long' },
    { intent: apply(pod({ uid: 'uid-1' })), issue: 'metadata.uid whole-intent', reason: 'a uid' },
    {
      intent: apply(pod({ resourceVersion: '7' })),
      issue: 'metadata.resourceVersion whole-intent',
      reason: 'a version',
    },
    { intent: apply(pod({ generation: 1 })), issue: 'metadata.generation whole-intent', reason: 'a generation' },
    {
      intent: apply(pod({ creationTimestamp: '2026-11-21T09:00:00Z' })),
      issue: 'metadata.creationTimestamp whole-intent',
      reason: 'a creation time',
    },
    {
      intent: apply(pod({ managedFields: [] })),
      issue: 'metadata.managedFields whole-intent',
      reason: 'managed fields',
    },
    {
      intent: apply(pod({ labels: { 'app.example.com/podset': 'victim' } })),
      issue: 'metadata.labels[app.example.com/podset] owner-label',
      reason: 'the owner label of another parent',
    },
    {
      intent: apply(pod({ ownerReferences: [] })),
      issue: 'metadata.ownerReferences owner-reference',
      reason: 'owner references, even none',
    },
    { intent: keep(stranger.object), issue: 'metadata.uid observed', reason: 'the keeping of a foreign object' },
    {
      intent: remove(stranger.object, 'Why'),
      issue: 'metadata.uid observed',
      reason: 'the removal of a foreign object',
    },
    { intent: release(stranger.object), issue: 'metadata.uid observed', reason: 'the release of a foreign object' },
    { intent: remove(orphan.object, 'Why'), issue: 'metadata.uid observed', reason: 'the removal of an orphan' },
    {
      intent: adopt(child.object),
      issue: 'metadata.uid observed',
      reason: 'the adoption of what is controlled already',
    },
    { intent: adopt(stranger.object), issue: 'metadata.uid observed', reason: 'the adoption of a foreign object' },
    {
      intent: apply(pod({}), { ifUnchanged: stranger.object }),
      issue: 'ifUnchanged observed',
      reason: 'a condition on a foreign object',
    },
    {
      intent: keep(intentOf(Pod, 'a')),
      issue: 'metadata.uid observed',
      reason: 'the keeping of a look-alike without uid',
    },
  ])('checkDesired() finds "$issue" when the result holds $reason', ({ intent, issue }) => {
    expect(issuesOf([intent])).toContain(`children[0].${issue}`);
  });

  it('checkDesired() finds every server-set field when an observed object is sent back', () => {
    expect(issuesOf([apply(child.object)])).toEqual([
      'children[0].metadata.uid whole-intent',
      'children[0].metadata.resourceVersion whole-intent',
    ]);
  });

  it.each([
    { intents: [apply(intentOf(Pod, 'new')), apply(intentOf(Pod, 'new'))], reason: 'it is declared twice' },
    { intents: [keep(child.object), keep(child.object)], reason: 'it is kept twice' },
    { intents: [keep(child.object), remove(child.object, 'Why')], reason: 'it is kept and removed' },
    { intents: [remove(child.object, 'Why'), apply(intentOf(Pod, 'a'))], reason: 'it is removed and declared' },
  ])('checkDesired() refuses a child that is named twice when $reason', ({ intents }) => {
    expect(issuesOf(intents)).toEqual(['children[1] named-once']);
  });

  it('checkDesired() lists every problem of every intent, by its index', () => {
    const intents = [
      keep(child.object),
      apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name: '', namespace: 'kube-system' } }),
      keep(stranger.object),
    ];
    expect(issuesOf(intents)).toEqual([
      'children[1].kind owned-kind',
      'children[1].metadata.name name',
      'children[1].metadata.namespace same-namespace',
      'children[2].metadata.uid observed',
    ]);
  });

  it('checkDesired() names the function with the result', () => {
    expect(() => checkDesired(planInput([keep(stranger.object)]))).toThrow(
      expect.objectContaining({ code: 'InvalidDesired', message: expect.stringContaining('PodSet "default/web"') }),
    );
  });
});

describe('planChildren()', () => {
  it('planChildren() plans no part of a result when one of its intents is refused', () => {
    const intents = [apply(intentOf(Pod, 'new')), keep(stranger.object)];
    expect(() => planChildren(planInput(intents, observed))).toThrow(InvalidDesiredError);
  });

  // A uid does not identify the child under another kind or name: the child would count as unnamed, and be pruned.
  it.each([
    { intent: keep(intentOf(Settings, 'a', { metadata: child.object.metadata })), reason: 'kept under another kind' },
    {
      intent: remove({ ...child.object, kind: 'Secret' }, 'Why'),
      reason: 'removed under a kind that is not owned',
    },
    {
      intent: keep({ ...child.object, metadata: { ...child.object.metadata, name: 'c' } }),
      reason: 'kept under another name',
    },
    {
      intent: remove({ ...child.object, metadata: { ...child.object.metadata, name: 'c' } }, 'Why'),
      reason: 'removed under another name',
    },
  ])('planChildren() throws InvalidDesiredError when the uid of a child is $reason', ({ intent }) => {
    expect(() => planChildren(planInput([intent, keep(other.object)], observed))).toThrow(InvalidDesiredError);
  });

  it.each([adopt(orphan.object), release(child.object)])(
    'checkDesired() refuses $verb for a kind that is watched by label, as it would not be seen',
    (intent) => {
      const input = planInput([intent], observed);
      const definition = { ...input.definition, owns: [labelled(Pod)] };
      expect(() => checkDesired({ ...input, definition })).toThrow(`${intent.verb} is not possible for a kind that is`);
    },
  );
});
