import { describe, expect, it } from 'vitest';
import { adopt, apply, type ChildIntent, keep, release, remove } from '#lib/desired/result/intent.ts';
import { InvalidDesiredError, type Issue } from '#lib/errors.ts';
import { PriorityClass } from '#lib/kind/handles/built-in-handles.ts';
import { Deployment, type KubeObject, labelled, Pod } from '#lib/kind/handles/reference.ts';
import { checkDesired } from '#lib/plan/check.ts';
import type { PlanInput } from '#lib/plan/input.ts';
import { childOf, intentOf, type PlanTraits, parent, planInput } from '#test/unit/support/plan-inputs.ts';

/** All issues of a result, as a user sees them. */
const issuesOf = (input: PlanInput): readonly Issue[] => {
  try {
    checkDesired(input);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidDesiredError)) throw error;
    return error.issues;
  }
};

const issuesFor = (intent: ChildIntent, traits: PlanTraits = {}): readonly Issue[] =>
  issuesOf(planInput([intent], traits)).map((issue) => ({ ...issue, path: issue.path.replace('children[0].', '') }));

const pod = (metadata: KubeObject['metadata']): KubeObject => ({
  ...intentOf(Pod, 'a'),
  metadata: { name: 'a', ...metadata },
});

/** A resource in another namespace; cluster-scoped if the namespace is empty. */
const parentIn = (namespace: string) => ({ metadata: { ...parent().metadata, namespace }, spec: {} });

describe('checkDesired()', () => {
  const child = childOf(Pod, 'a');

  it.each([
    {
      intent: apply({ kind: 'Secret', metadata: { name: 'a' } }),
      issue: {
        path: 'kind',
        rule: 'owned-kind',
        message: 'must be a kind that "PodSet" owns (v1 Pod, v1 ConfigMap, v1 PersistentVolumeClaim)',
        value: '? Secret',
        fix: 'set apiVersion and kind, and list the kind in owns',
      },
    },
    {
      intent: apply({ apiVersion: 'v1', metadata: { name: 'a' } }),
      traits: { owns: [] },
      issue: {
        path: 'kind',
        rule: 'owned-kind',
        message: 'must be a kind that "PodSet" owns (none)',
        value: 'v1 ?',
        fix: 'set apiVersion and kind, and list the kind in owns',
      },
    },
    {
      intent: apply({ apiVersion: 'v1', kind: 'Pod' }),
      issue: {
        path: 'metadata.name',
        rule: 'name',
        message: 'must be a DNS subdomain of 1 to 253 characters',
        value: '',
        fix: 'derive the name from the parent’s',
      },
    },
    {
      intent: apply(pod({ namespace: 'other' })),
      issue: {
        path: 'metadata.namespace',
        rule: 'same-namespace',
        message: 'must be absent or "default", the namespace of the parent',
        value: 'other',
      },
    },
    {
      intent: apply({ ...intentOf(PriorityClass, 'a'), metadata: { name: 'a', namespace: 'x' } }),
      traits: { owns: [PriorityClass], resource: parentIn('') },
      issue: {
        path: 'metadata.namespace',
        rule: 'same-namespace',
        message: 'must be absent: PriorityClass is cluster-scoped',
        value: 'x',
      },
    },
    {
      intent: apply(pod({})),
      traits: { resource: parentIn('') },
      issue: {
        path: 'metadata.namespace',
        rule: 'same-namespace',
        message: 'must name a namespace: the parent is cluster-scoped and has none to give',
        value: '',
      },
    },
    {
      intent: apply(pod({ uid: 'x' })),
      issue: {
        path: 'metadata.uid',
        rule: 'whole-intent',
        message: 'must not be set: an intent is built whole, an observed object is never sent back',
        fix: 'build a new object; pass the observed one as ifUnchanged',
      },
    },
    {
      intent: apply(pod({ labels: { 'app.example.com/podset': 'x' } })),
      issue: {
        path: 'metadata.labels[app.example.com/podset]',
        rule: 'owner-label',
        message: 'must be absent or "web"',
        value: 'x',
      },
    },
    {
      intent: apply(pod({ ownerReferences: [] })),
      issue: { path: 'metadata.ownerReferences', rule: 'owner-reference', message: 'must be absent: the loop sets it' },
    },
    {
      intent: apply(pod({}), { ifUnchanged: childOf(Pod, 'b').object }),
      traits: { children: [child] },
      issue: {
        path: 'ifUnchanged',
        rule: 'observed',
        message: 'must be the observed child that the intent is about',
        value: 'b',
        fix: 'pass the child named "a"',
      },
    },
    {
      intent: apply(pod({}), { ifUnchanged: {} }),
      issue: {
        path: 'ifUnchanged',
        rule: 'observed',
        message: 'must be the observed child that the intent is about',
        value: undefined,
        fix: 'pass the child named "a"',
      },
    },
    {
      intent: keep({ apiVersion: 'v1', kind: 'Pod' }),
      issue: {
        path: 'metadata.uid',
        rule: 'observed',
        message: 'keep needs an observed child of this resource',
        value: '',
      },
    },
    {
      intent: adopt(child.object),
      issue: { path: 'metadata.uid', rule: 'observed', message: 'adopt needs an observed orphan', value: 'a' },
    },
    {
      intent: release(child.object),
      traits: { children: [{ ...child, kind: labelled(Pod) }], owns: [labelled(Pod)] },
      issue: {
        path: 'verb',
        rule: 'labelled',
        message: 'release is not possible for a kind that is watched by label',
        value: 'release',
        fix: 'list the kind in owns without labelled()',
      },
    },
    {
      intent: apply(
        intentOf(Deployment, 'a', { spec: { template: { spec: { volumes: [{ name: 'v' }, { name: 'v' }] } } } }),
      ),
      traits: { owns: [Deployment] },
      issue: {
        path: 'spec.template.spec.volumes[1]',
        rule: 'list-map-keys',
        message: 'must differ from element 0 in name: an apply refuses elements with the same keys',
        value: 'v',
        fix: 'remove one of the two',
      },
    },
    {
      intent: apply(
        intentOf(Deployment, 'a', { spec: { ports: [{ containerPort: 1 }, { containerPort: 1, protocol: 'TCP' }] } }),
      ),
      traits: { owns: [Deployment] },
      issue: {
        path: 'spec.ports[1]',
        rule: 'list-map-keys',
        message:
          'must differ from element 0 in containerPort and protocol: an apply refuses elements with the same keys',
        value: '1/TCP',
        fix: 'remove one of the two',
      },
    },
  ])('checkDesired() reports $issue.path with "$issue.message"', ({ intent, traits, issue }) => {
    expect(issuesFor(intent, traits)).toStrictEqual([issue]);
  });

  it('checkDesired() reports the second intent for a child, with its verb', () => {
    const input = planInput([keep(child.object), remove(child.object, 'Why')], { children: [child] });
    expect(issuesOf(input)).toStrictEqual([
      {
        path: 'children[1]',
        rule: 'named-once',
        message: 'each child is named at most once, and children[0] has the same kind and name',
        value: 'remove Pod./a',
        fix: 'remove one of the two, or rename one',
      },
    ]);
  });

  it.each([
    { verb: remove, is: 0 },
    { verb: keep, is: 0 },
    { verb: release, is: 1 },
  ])('checkDesired() finds $is issues of an intent $verb for a child of a kind that is watched by label', (one) => {
    const owns = [labelled(Pod)];
    expect(issuesFor(one.verb(child.object, 'Why'), { owns, children: [child] })).toHaveLength(one.is);
  });

  it.each([release, adopt])(
    'checkDesired() reports that an object of a kind that is not owned is not observed',
    (verb) => {
      const issues = issuesFor(verb({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } }));
      expect(issues.map(({ rule }) => rule)).toEqual(['observed']);
    },
  );

  it('checkDesired() accepts a condition on the observed child', () => {
    expect(issuesFor(apply(pod({}), { ifUnchanged: child.object }), { children: [child] })).toEqual([]);
  });

  it('checkDesired() checks the objects of dry runs like children, and no other effects', () => {
    const http = { effect: 'http', key: 'h', request: { method: 'GET', url: 'http://a' } } as const;
    const dryRun = { effect: 'dryRun', key: 'd', object: intentOf(Pod, 'UPPER') } as const;
    const input = planInput([]);
    const issues = issuesOf({ ...input, desired: { children: [], effects: [http, dryRun] as never } });
    expect(issues.map(({ path, rule }) => `${path} ${rule}`)).toEqual(['effects[1].object.metadata.name name']);
  });

  // Names of namespaces are DNS-1123 labels, which may begin with a digit. Other DNS labels of Kubernetes may not.
  it.each(['team', '2026-team', '7'])(
    'checkDesired() accepts the namespace "%s" for a cluster-scoped parent',
    (name) => {
      expect(issuesFor(apply(pod({ namespace: name })), { resource: parentIn('') })).toEqual([]);
    },
  );

  it.each(['', 'Team', 'a.b', '-a', 'a'.repeat(64)])(
    'checkDesired() refuses the namespace "%s" for a cluster-scoped parent',
    (name) => {
      expect(issuesFor(apply(pod({ namespace: name })), { resource: parentIn('') })).toMatchObject([{ value: name }]);
    },
  );

  it('checkDesired() accepts a cluster-scoped child without a namespace', () => {
    const traits = { owns: [PriorityClass], resource: parentIn('') };
    expect(issuesFor(apply(intentOf(PriorityClass, 'a')), traits)).toEqual([]);
  });
});
