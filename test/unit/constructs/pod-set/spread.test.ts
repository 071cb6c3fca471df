import type { PodSpec } from 'kubernetes-types/core/v1.js';
import { describe, expect, it } from 'vitest';
import { podOf } from '#constructs/pod-set/template.ts';

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
