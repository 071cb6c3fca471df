import type { Pod as KubePod, PodSpec } from 'kubernetes-types/core/v1.js';
import { describe, expect, it } from 'vitest';
import { podOf } from '#constructs/pod-set/template.ts';
import { revisionObject } from '#lib/workload/controller-revision.ts';
import { templateHash } from '#lib/workload/pod-template.ts';
import { CLASSIC, desiredOf, madeBy, namesBy, setPod, slot } from './support.ts';

const labels = { app: 'web', 'app.example.com/podset': 'web' };
const containers = [{ name: 'main', image: 'web:1' }];
const specOf = (spec: PodSpec): PodSpec | undefined => podOf('web-1', { template: { spec }, labels }).spec;

describe('podOf()', () => {
  it('podOf() has pods spread over nodes and zones as those of a ReplicaSet, as far as there is room', () => {
    expect(specOf({ containers })?.topologySpreadConstraints).toEqual([
      {
        maxSkew: 3,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: labels },
      },
      {
        maxSkew: 5,
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: labels },
      },
    ]);
  });

  it.each<PodSpec>([
    { containers, topologySpreadConstraints: [] },
    { containers, affinity: { podAntiAffinity: {} } },
    { containers, nodeName: 'n1' },
  ])('podOf() leaves a template alone that says where its pods run', (spec) => {
    expect(specOf(spec)).toEqual(spec);
  });
});

describe('podSet.desired() with pods from before it spread pods', () => {
  const template = { spec: { containers } };
  const hash = templateHash(template);
  const object = revisionObject({ owner: 'web', hash, number: 1, template });
  const snapshot = {
    ...object,
    metadata: { ...object.metadata, uid: 'u', resourceVersion: '3', namespace: 'default' },
  };

  it.each([
    { what: 'the classic template', revision: CLASSIC, spec: {}, snapshots: [] },
    { what: 'a template of its own', revision: hash, spec: { template }, snapshots: [snapshot] },
  ])('podSet.desired() keeps pods of $what without constraints, and gives constraints to new ones', (each) => {
    const { revision, spec, snapshots } = each;
    const pods = [0, 1].map((index) => setPod({ name: slot(index), revision, ready: true }));
    expect(pods.every((pod) => pod.spec?.topologySpreadConstraints === undefined)).toBe(true);
    const result = desiredOf({
      spec: { replicas: 3, ...spec },
      children: [...pods, ...snapshots],
      status: { currentRevision: revision, updateRevision: revision },
    });
    expect(namesBy(result, 'remove')).toEqual([]);
    const made = madeBy(result).map((pod) => (pod as KubePod).spec?.topologySpreadConstraints?.length);
    expect(made).toEqual([2]);
  });
});
