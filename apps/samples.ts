import type { Construct } from 'constructs';
import { AppService } from '#constructs/app-service/index.ts';
import { ImmortalContainer } from '#constructs/immortal-container/index.ts';
import { PodSet } from '#constructs/pod-set/index.ts';

/** One resource of every kind, as `synth-out/samples.k8s.yaml` shows them. */
export const addSamples = (scope: Construct): void => {
  new AppService(scope, 'app-service', { metadata: { name: 'example-appservice' }, spec: { replicas: 3 } });
  new ImmortalContainer(scope, 'immortal-container', {
    metadata: { name: 'example-immortalcontainer' },
    spec: { image: 'nginx:latest' },
  });
  new PodSet(scope, 'pod-set', { metadata: { name: 'example-podset' }, spec: { replicas: 3 } });
};
