import type { Construct } from 'constructs';
import { AppService } from '#constructs/app-service/index.ts';
import { CanaryRollout } from '#constructs/canary-rollout/index.ts';
import { Deployer } from '#constructs/deployer/index.ts';
import { ImmortalContainer } from '#constructs/immortal-container/index.ts';
import { PodSet } from '#constructs/pod-set/index.ts';

/** The steps of the classic canary rollout. Their sleeps take two minutes together. */
const steps = [{ percent: 10, sleep: 60 }, { percent: 30, sleep: 30 }, { percent: 60, sleep: 30 }, { percent: 100 }];

const template = { spec: { containers: [{ name: 'nginx', image: 'nginx:1.29' }] } };

/** Adds one resource of each kind of this repository. */
export const addSamples = (scope: Construct): void => {
  new AppService(scope, 'app-service', { metadata: { name: 'example-appservice' }, spec: { replicas: 3 } });
  new CanaryRollout(scope, 'canary-rollout', {
    metadata: { name: 'example-canaryrollout' },
    spec: { replicas: 10, template, steps },
  });
  new Deployer(scope, 'deployer', {
    metadata: { name: 'example-deployer' },
    spec: { deployment: { name: 'example-nginx', image: 'nginx', version: '1.29', replicas: 10 }, steps },
  });
  new ImmortalContainer(scope, 'immortal-container', {
    metadata: { name: 'example-immortalcontainer' },
    spec: { image: 'nginx:latest' },
  });
  new PodSet(scope, 'pod-set', { metadata: { name: 'example-podset' }, spec: { replicas: 3 } });
};
