import { describe, expect, it } from 'vitest';
import { builtInKinds, tryBuiltIn, tryMissing } from '#lib/kind/handles/built-in-kinds.ts';
import { servedKinds } from '#lib/sim/served-kinds.ts';

describe('tryMissing()', () => {
  it.each([
    { apiVersion: 'apps/v1', kind: 'Deploymnet', meant: { apiVersion: 'apps/v1', kind: 'Deployment' } },
    { apiVersion: 'v1', kind: 'configmap', meant: { apiVersion: 'v1', kind: 'ConfigMap' } },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolcy',
      meant: { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' },
    },
    { apiVersion: 'v1', kind: 'Deployment', meant: { apiVersion: 'apps/v1', kind: 'Deployment' } },
    { apiVersion: 'networking.k8s.io/v1', kind: 'CronJob', meant: { apiVersion: 'batch/v1', kind: 'CronJob' } },
  ])('tryMissing() suggests $meant.kind of $meant.apiVersion for $kind of $apiVersion', ({ meant, ...name }) => {
    expect(tryMissing(name)?.meant).toMatchObject(meant);
  });

  it('tryMissing() describes a kind without a similar name when its group gets no new kinds', () => {
    expect(tryMissing({ apiVersion: 'apps/v1', kind: 'Gadget' })).toEqual({});
  });

  it.each([
    { apiVersion: 'apps/v1', kind: 'Deployment', reason: 'the kind exists' },
    { apiVersion: 'example.com/v1', kind: 'Deploymnet', reason: 'the group can be of a custom resource' },
    { apiVersion: 'apps/v2', kind: 'Deploymnet', reason: 'another Kubernetes version can have this version' },
    { apiVersion: 'scheduling.k8s.io/v1', kind: 'PodGroup', reason: 'a later Kubernetes version can add the kind' },
  ])('tryMissing() is undefined for $kind of $apiVersion, because $reason', ({ apiVersion, kind }) => {
    expect(tryMissing({ apiVersion, kind })).toBeUndefined();
  });
});

describe('tryBuiltIn()', () => {
  it('tryBuiltIn() finds a kind in a version that is not in the table, and no kind that is not there', () => {
    expect(tryBuiltIn({ apiVersion: 'autoscaling/v2beta2', kind: 'HorizontalPodAutoscaler' })).toMatchObject({
      plural: 'horizontalpodautoscalers',
      scope: 'Namespaced',
    });
    expect(tryBuiltIn({ apiVersion: 'scheduling.k8s.io/v1alpha1', kind: 'PodGroup' })).toBeUndefined();
  });
});

describe('builtInKinds', () => {
  it('builtInKinds has the plurals and scopes of all kinds that the embedded cluster serves', () => {
    const served = servedKinds.map(({ group, kind, plural, scope }) => ({ group, kind, plural, scope }));
    for (const { group, kind, ...names } of served)
      expect(tryBuiltIn({ apiVersion: group === '' ? 'v1' : `${group}/v1`, kind })).toMatchObject(names);
    expect(builtInKinds.length).toBeGreaterThan(served.length);
  });
});
