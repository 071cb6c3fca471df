import type { Construct } from 'constructs';
import { PodSet } from '#constructs/pod-set/index.ts';

/** One resource of every kind, as `synth-out/samples.k8s.yaml` shows them. */
export const addSamples = (scope: Construct): void => {
  new PodSet(scope, 'pod-set', { metadata: { name: 'example-podset' }, spec: { replicas: 3 } });
};
