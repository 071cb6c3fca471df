import { describe, expect, it } from 'vitest';
import { canaryRollout, canaryRolloutWith } from '#constructs/canary-rollout/kind.ts';
import { observationOf } from '#lib/desired/observe/observation-of.ts';
import { compileCrd } from '#lib/kind/crd.ts';
import { templateOf } from '#test/unit/support/rollout-bench.ts';

const spec = {
  template: templateOf('1'),
  steps: [{ percent: 10, metrics: [{ name: 'errors', query: 'errors', max: 1 }] }],
};

const stateOf = (kind: typeof canaryRollout) => kind.desired(observationOf(kind, { spec })).state;

describe('canaryRollout', () => {
  it('canaryRollout compiles to a definition with the columns, the scale and the short name of its kind', () => {
    const { spec: crd } = compileCrd(canaryRollout);
    expect(crd.names).toMatchObject({ kind: 'CanaryRollout', plural: 'canaryrollouts', shortNames: ['crollout'] });
    const [version] = crd.versions;
    expect(version?.additionalPrinterColumns?.map(({ name }) => name)).toEqual([
      'Phase',
      'Stable',
      'Canary',
      'Step',
      'Percent',
      'Desired',
      'Available',
      'Age',
      'Message',
    ]);
    expect(version?.subresources?.scale).toEqual({
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.selector',
    });
  });

  it('canaryRolloutWith() takes a metric without an address when the operator has a server', () => {
    expect(stateOf(canaryRolloutWith({}))).toMatchObject({ state: 'stalled', reason: 'InvalidSpec' });
    expect(stateOf(canaryRolloutWith({ prometheusUrl: 'http://prometheus:9090' }))).toMatchObject({
      state: 'progressing',
    });
  });
});
