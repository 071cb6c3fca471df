import { expect, it } from 'vitest';
import { planRestored } from '#lib/plan/decide/restored.ts';
import { childOf, planInput, Settings } from '#test/unit/support/plan-inputs.ts';

const owned = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'a',
    namespace: 'default',
    labels: { 'app.example.com/podset': 'web' },
    ownerReferences: [
      {
        apiVersion: 'app.example.com/v1alpha1',
        kind: 'PodSet',
        name: 'web',
        uid: 'uid-web',
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  },
};
const step = { step: 'adopt', kind: Settings, name: 'a', uid: 'uid-configmaps-a', reason: 'Restored' };
const stray = childOf(Settings, 'a');

it('planRestored() adopts a restored child, and marks its intent as unknown', () => {
  const marked = { ...owned, metadata: { ...owned.metadata, annotations: { 'cdk8s-reconcile/intent': 'restored' } } };
  expect(planRestored({ ...planInput([]), known: new Set() }, [stray])).toStrictEqual([{ ...step, object: marked }]);
});

it('planRestored() keeps the intent annotation of a child that this loop adopted before', () => {
  const known = new Set(['uid-configmaps-a']);
  expect(planRestored({ ...planInput([]), known }, [stray])).toStrictEqual([{ ...step, object: owned }]);
});

it('planRestored() plans no step without restored children', () => {
  expect(planRestored({ ...planInput([]), known: new Set() }, [])).toEqual([]);
});
