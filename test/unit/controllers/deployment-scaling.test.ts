import { describe, expect, it } from 'vitest';
import type { ReplicaSet } from '#lib/controllers/workload.ts';
import { scalingsFor } from '#lib/controllers/workloads/deployment-scaling.ts';
import { maxSurge, maxUnavailable, newReplicas, shrinkOld } from '#lib/controllers/workloads/rolling-update.ts';
import { deployment, replicaSet, rolling } from './objects.ts';

// The cases of k8s.io/kubernetes v1.36.4 pkg/controller/deployment/{rolling,sync}_test.go and util/deployment_util_test.go.

describe('maxSurge() and maxUnavailable()', () => {
  it.for([
    { surge: '39%', unavailable: '39%', desired: 10, expected: [4, 3] },
    { surge: 0, unavailable: '39%', desired: 10, expected: [0, 3] },
    { surge: '39%', unavailable: 0, desired: 10, expected: [4, 0] },
    { surge: 0, unavailable: 0, desired: 10, expected: [0, 1] },
    { surge: '25%', unavailable: '25%', desired: 1, expected: [1, 0] },
    { surge: '0%', unavailable: '1%', desired: 2, expected: [0, 1] },
    { surge: 1, unavailable: 5, desired: 2, expected: [1, 2] },
  ])('are $expected of $desired for $surge and $unavailable', ({ surge, unavailable, desired, expected }) => {
    const given = deployment(desired, { spec: { strategy: rolling(surge, unavailable) } });
    expect([maxSurge(given), maxUnavailable(given)]).toEqual(expected);
  });

  it('are 0 for Recreate', () => {
    const given = deployment(4, { spec: { strategy: { type: 'Recreate' } } });
    expect([maxSurge(given), maxUnavailable(given)]).toEqual([0, 0]);
  });
});

describe('newReplicas()', () => {
  it.for([
    { surge: 0, old: 10, current: 0, expected: 0 },
    { surge: 2, old: 10, current: 0, expected: 2 },
    { surge: 2, old: 5, current: 0, expected: 7 },
    { surge: 2, old: 10, current: 2, expected: 2 },
  ])(
    'is $expected of 10 when $old are old, $current new, and the surge is $surge',
    ({ surge, old, current, expected }) => {
      const given = deployment(10, { spec: { strategy: rolling(surge, 0) } });
      const sets = [replicaSet('old', old), replicaSet('new', current)];
      expect(newReplicas(given, sets, current)).toBe(expected);
    },
  );
});

describe('shrinkOld()', () => {
  it.for([
    { unavailable: 0, old: 10, fresh: 0, oldReady: 10, expected: [9] },
    { unavailable: 2, old: 10, fresh: 0, oldReady: 10, expected: [8] },
    { unavailable: 2, old: 10, fresh: 0, oldReady: 8, expected: [8] },
    { unavailable: 2, old: 10, fresh: 0, oldReady: 9, expected: [9, 8] },
    { unavailable: 2, old: 8, fresh: 2, oldReady: 8, expected: [] },
    { unavailable: 2, old: 0, fresh: 10, oldReady: 0, expected: [] },
  ])(
    'scales to $expected when of $old old pods $oldReady are available, and there are $fresh new ones',
    ({ unavailable, old, fresh, oldReady, expected }) => {
      const given = deployment(10, { spec: { strategy: rolling(0, unavailable) } });
      const oldSet = replicaSet('old', old, { status: { availableReplicas: oldReady } });
      const scalings = shrinkOld(given, replicaSet('new', fresh), [oldSet]);
      expect(scalings.map(({ replicas }) => replicas)).toEqual(expected);
    },
  );

  it('gives up when an old ReplicaSet has more available pods than it wants', () => {
    const given = deployment(3, { spec: { strategy: rolling(1, 0) } });
    const oldSet = replicaSet('old', 2, { status: { availableReplicas: 3 } });
    const newSet = replicaSet('new', 3, { status: { availableReplicas: 3 } });
    expect(shrinkOld(given, newSet, [oldSet])).toEqual([]);
  });
});

const ages = ['2016-05-20T02:00:00Z', '2016-05-20T01:00:00Z', '2016-05-20T00:00:00Z'];

/** ReplicaSets of these sizes, newest first; each records the size of the Deployment that it was scaled for. */
const sized = (
  sizes: readonly number[],
  { desired, max }: { readonly desired: number; readonly max: number },
): readonly ReplicaSet[] =>
  sizes.map((size, index) =>
    replicaSet(`v${sizes.length - index}`, size, {
      metadata: {
        creationTimestamp: ages[index] ?? '',
        annotations: {
          'deployment.kubernetes.io/desired-replicas': String(desired),
          'deployment.kubernetes.io/max-replicas': String(max),
        },
      },
    }),
  );

describe('scalingsFor()', () => {
  it.for([
    { name: 'a single one up', to: 12, from: 10, sizes: [10], expected: [12] },
    { name: 'a single one down', to: 5, from: 10, sizes: [10], expected: [5] },
    { name: 'two up', to: 10, from: 5, sizes: [2, 3], expected: [4, 6] },
    { name: 'two down', to: 3, from: 5, sizes: [2, 3], expected: [1, 2] },
    { name: 'two down to one', to: 4, from: 9, sizes: [8, 1], expected: [4, 0] },
    { name: 'three up', to: 10, from: 7, sizes: [2, 3, 2], expected: [3, 4, 3] },
    { name: 'three down', to: 8, from: 13, sizes: [2, 8, 3], expected: [1, 5, 2] },
    { name: 'the newest by what is left', to: 4, from: 3, sizes: [1, 1, 1], expected: [2, 1, 1] },
    { name: 'the oldest by what is left', to: 2, from: 3, sizes: [1, 1, 1], expected: [1, 1, 0] },
    { name: 'all down to nothing', to: 0, from: 6, sizes: [3, 2, 1], expected: [0, 0, 0] },
    { name: 'the new one up from nothing', to: 6, from: 6, sizes: [0, 0, 0], expected: [6, 0, 0] },
    { name: 'two with surge', to: 20, from: 10, surge: 2, sizes: [6, 6], expected: [11, 11] },
    { name: 'two with another surge', to: 50, from: 10, surge: 6, max: 13, sizes: [5, 8], expected: [22, 34] },
  ])('scales $name', ({ to, from, surge = 0, max = from + surge, sizes, expected }) => {
    const [newSet, ...oldSets] = sized(sizes, { desired: from, max });
    const given = deployment(to, { spec: { strategy: rolling(surge, 0) } });
    const scalings = scalingsFor(given, { newSet, oldSets });
    const sizeOf = (set: ReplicaSet): number | undefined =>
      scalings.find(({ replicaSet: scaled }) => scaled === set)?.replicas ?? set.spec.replicas;
    expect([newSet!, ...oldSets].map(sizeOf)).toEqual(expected);
  });

  it('scales the newest old one first when there is no new one', () => {
    const oldSets = sized([2, 2], { desired: 4, max: 4 });
    const scalings = scalingsFor(deployment(5), { oldSets });
    expect(scalings.map(({ replicas }) => replicas)).toEqual([3, 2]);
  });

  it('leaves old pods alone while the new ReplicaSet is complete and broken', () => {
    const [newSet, ...oldSets] = sized([2, 1], { desired: 2, max: 3 });
    const given = deployment(2, { spec: { strategy: rolling(1, 1) } });
    const unchanged = scalingsFor(given, { newSet, oldSets }).filter((s) => s.replicas === s.replicaSet.spec.replicas);
    expect(unchanged).toHaveLength(2);
  });
});
