import { describe, expect, it } from 'vitest';
import {
  childOf,
  DEPLOYMENT_REVISION_LABEL,
  isCounted,
  isSettled,
  REPLICAS_ANNOTATION,
} from '#constructs/rollout/engine/pods/child.ts';

const deployment = (spec: number, status: object) => ({
  metadata: { name: 'web-a', generation: 3, labels: { [DEPLOYMENT_REVISION_LABEL]: 'a' } },
  spec: { replicas: spec, selector: {}, template: {} },
  status,
});

describe('isSettled()', () => {
  it.each([
    ['the last change was not seen yet', 3, { observedGeneration: 2, replicas: 3 }, false],
    ['pods are still there that were taken away', 2, { observedGeneration: 3, replicas: 3 }, false],
    ['there are as many pods as asked for', 3, { observedGeneration: 3, replicas: 3 }, true],
    ['a quota keeps it smaller than asked for', 3, { observedGeneration: 3, replicas: 1 }, true],
    ['it has no status yet', 0, {}, false],
  ])('isSettled() is right when %s', (_, replicas, status, expected) => {
    expect(isSettled(deployment(replicas, status))).toBe(expected);
  });
});

const failure = { type: 'ReplicaFailure', status: 'True' };

describe('isCounted()', () => {
  it.each([
    ['a pod has not been counted yet', 3, { replicas: 2 }, false],
    ['all pods have been counted', 3, { replicas: 3 }, true],
    ['no pods are asked for and there is no status', 0, {}, true],
    ['a quota forbids the others', 3, { replicas: 1, conditions: [failure] }, true],
  ])('isCounted() is right when %s', (_, replicas, status, expected) => {
    expect(isCounted(deployment(replicas, status))).toBe(expected);
  });
});

describe('childOf()', () => {
  it('childOf() reads sizes, hash and what we gave it', () => {
    const seen = deployment(3, { observedGeneration: 3, replicas: 3, availableReplicas: 2, readyReplicas: 3 });
    const annotated = {
      ...seen,
      metadata: { ...seen.metadata, annotations: { [REPLICAS_ANNOTATION]: '2' } },
    };
    expect(childOf(annotated)).toMatchObject({
      hash: 'a',
      name: 'web-a',
      replicas: 3,
      available: 2,
      ready: 3,
      pods: 3,
    });
    expect([childOf(annotated).given, childOf(seen).given]).toEqual([2, undefined]);
  });
});
