import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalText, shortHash } from '#lib/desired/canonical/canonical.ts';
import { deepFreeze } from '#lib/desired/canonical/freeze.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { type KubeObject, Pod } from '#lib/kind/handles/reference.ts';
import { planChildren } from '#lib/plan/plan.ts';
import { intentHashOf, sentBy, stamp, withReferenceOf } from '#lib/plan/stamp.ts';
import { intentOf, planInput } from '#test/unit/support/plan-inputs.ts';

const input = planInput([]);

const INTENT = 'cdk8s-reconcile/intent';

/** Short enough for a label, with valid characters. */
const hash: unknown = expect.stringMatching(/^[a-z0-9]{10}$/);

/** Names the parent as controller; a foreground deletion of the parent waits for the child. */
const controller = {
  apiVersion: 'app.example.com/v1alpha1',
  kind: 'PodSet',
  name: 'web',
  uid: 'uid-web',
  controller: true,
  blockOwnerDeletion: true,
};

const hashOf = (more: object): string | undefined =>
  stamp(input, intentOf(Pod, 'a', more)).object.metadata?.annotations?.[INTENT];

describe('stamp()', () => {
  it('stamp() adds namespace, owner label and controller, and keeps the rest of the intent', () => {
    const object: KubeObject = intentOf(Pod, 'a', {
      metadata: { name: 'a', labels: { app: 'x' }, annotations: { note: 'n' }, finalizers: ['example.com/hold'] },
      spec: { containers: [{ name: 'c', image: 'busybox' }] },
    });
    expect(stamp(input, object).object).toStrictEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'a',
        namespace: 'default',
        annotations: { note: 'n', [INTENT]: hash },
        finalizers: ['example.com/hold'],
        labels: { app: 'x', 'app.example.com/podset': 'web' },
        ownerReferences: [controller],
      },
      spec: { containers: [{ name: 'c', image: 'busybox' }] },
    });
  });

  it('stamp() wins over the intent, even if a check was missed', () => {
    const hostile = intentOf(Pod, 'a', {
      metadata: {
        name: 'a',
        namespace: 'kube-system',
        annotations: { [INTENT]: 'forged' },
        labels: { 'app.example.com/podset': 'victim' },
        ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u', controller: true }],
      },
    });
    expect(stamp(input, hostile).object.metadata).toStrictEqual({
      name: 'a',
      namespace: 'default',
      annotations: { [INTENT]: hash },
      labels: { 'app.example.com/podset': 'web' },
      ownerReferences: [controller],
    });
  });

  it('stamp() gives the same bytes when the intent was built in another order', () => {
    const one = intentOf(Pod, 'a', { spec: { b: 1, a: null }, data: { z: '1', y: '2' } });
    const other = { data: { y: '2', z: '1' }, spec: { b: 1 }, ...intentOf(Pod, 'a') };
    expect(JSON.stringify(stamp(input, one).object)).toBe(JSON.stringify(stamp(input, other).object));
  });

  it('stamp() distinguishes intents by their hash, and sees no difference where there is none', () => {
    expect(hashOf({ spec: { x: 1, y: null } })).toBe(hashOf({ spec: { x: 1 } }));
    expect(hashOf({ spec: { x: 1 } })).not.toBe(hashOf({ spec: { x: 2 } }));
  });

  it('stamp() gives a child the hash that versions without blockOwnerDeletion gave it', () => {
    expect(hashOf({ spec: { x: 1 } })).toBe('hdmn2hx6fl');
  });

  it('stamp() hashes the canonical text of the intent with its owner, whatever names and values there are', () => {
    const members = fc.dictionary(fc.oneof(fc.string(), fc.nat().map(String)), fc.jsonValue({ maxDepth: 3 }));
    const { blockOwnerDeletion: _, ...identity } = controller;
    fc.assert(
      fc.property(members, members, fc.boolean(), (spec, labels, isFrozen) => {
        const intent = { apiVersion: 'demo.example.com/v1', kind: 'Shelf', metadata: { name: 'a', labels }, spec };
        const metadata = {
          name: 'a',
          namespace: 'default',
          annotations: {},
          labels: { ...labels, 'app.example.com/podset': 'web' },
          ownerReferences: [identity],
        };
        const object = (isFrozen ? deepFreeze(structuredClone(intent)) : intent) as KubeObject;
        const stamped = stamp(input, object);
        expect(stamped.intent).toBe(shortHash({ ...intent, metadata }, 10));
        const sent = { ...metadata, annotations: { [INTENT]: stamped.intent }, ownerReferences: [controller] };
        expect(JSON.stringify(stamped.object)).toBe(canonicalText({ ...intent, metadata: sent }));
      }),
    );
  });

  it('stamp() sends no empty map of a built-in kind whose members are all undefined, with the hash of before', () => {
    const pod = { ...intentOf(Pod, 'a'), spec: { nodeSelector: { zone: undefined }, containers: [] } };
    const { object, intent } = stamp(input, pod);
    expect(object).toHaveProperty('spec', {});
    expect(intent).toBe(hashOf({ spec: { nodeSelector: { zone: null }, containers: [] } }));
  });

  it('stamp() leaves the intent alone', () => {
    const object = deepFreeze(intentOf(Pod, 'a', { metadata: { name: 'a', labels: { app: 'x' } } }));
    stamp(input, object);
    expect(object).toEqual({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', labels: { app: 'x' } } });
  });
});

describe('withReferenceOf()', () => {
  const stamped = stamp(input, intentOf(Pod, 'a'));
  const { blockOwnerDeletion: _, ...identity } = controller;

  it.each([
    { live: identity, reason: 'a version without it made the child' },
    { live: { ...identity, blockOwnerDeletion: false }, reason: 'the garbage collector took it off' },
    { live: controller, reason: 'it is there' },
  ])('withReferenceOf() sends blockOwnerDeletion as the live child has it when $reason', ({ live }) => {
    const others = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u', blockOwnerDeletion: true };
    const child = { ...intentOf(Pod, 'a'), metadata: { name: 'a', ownerReferences: [others, live] } };
    const { object, intent } = withReferenceOf(stamped, child);
    expect(object.metadata?.ownerReferences).toStrictEqual([live]);
    expect(intent).toBe(stamped.intent);
    expect({ ...object, metadata: { ...object.metadata, ownerReferences: [] } }).toStrictEqual({
      ...stamped.object,
      metadata: { ...stamped.object.metadata, ownerReferences: [] },
    });
  });

  it('withReferenceOf() returns the same intent if there is nothing to change', () => {
    const child = { metadata: { ownerReferences: [controller] } };
    expect(withReferenceOf(stamped, child)).toBe(stamped);
    expect(withReferenceOf(stamped, {})).toBe(stamped);
    expect(withReferenceOf(stamped, { metadata: { ownerReferences: [] } })).toBe(stamped);
  });

  it.each([{}, { metadata: {} }, { metadata: { ownerReferences: [] } }])(
    'withReferenceOf() returns the same intent if the object %o has no owner reference',
    (object) => {
      const elsewhere = { object, intent: 'a' };
      expect(withReferenceOf(elsewhere, { metadata: { ownerReferences: [controller] } })).toBe(elsewhere);
    },
  );
});

it('intentHashOf() returns undefined for an object without the annotation', () => {
  expect([{}, { metadata: {} }, { metadata: { annotations: {} } }].map(intentHashOf)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

it('planChildren() holds the object of the function, and sentBy() what is sent', () => {
  const object = intentOf(Pod, 'a', { spec: { containers: [] } });
  const one = planInput([apply(object)]);
  const [step] = planChildren(one).steps;
  expect(step).toEqual({ step: 'create', kind: Pod, name: 'a', declared: object, reason: 'Missing' });
  expect(step && sentBy(one, step)).toStrictEqual(stamp(one, object).object);
});
