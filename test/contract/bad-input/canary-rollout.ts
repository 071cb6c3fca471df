import {
  atLeast,
  atMost,
  type BadInput,
  badNames,
  badSpecs,
  type Change,
  fewestItems,
  type GoodInput,
  goodSpecs,
  longest,
  oneOf,
  required,
  rule,
} from './case.ts';
import { badRollouts, goodRollouts } from './rollouts.ts';

const container = { name: 'web', image: 'nginx:1.29' };
const template = { spec: { containers: [container] } };
const canaryRollout = { apiVersion: 'deploy.example.com/v1alpha1', kind: 'CanaryRollout', spec: { template } };
const bad = badSpecs(canaryRollout);
const badName = badNames(canaryRollout);
const good = goodSpecs(canaryRollout);

export const badCanaryRollouts: readonly BadInput[] = [
  ...badRollouts(canaryRollout),
  bad('no template', { template: undefined }, ['spec.template', required]),
  bad('a template without containers', { template: { spec: { containers: [] } } }, [
    'spec.template.spec.containers',
    fewestItems(1),
  ]),
  bad('pods that end', { template: { spec: { containers: [container], restartPolicy: 'OnFailure' } } }, [
    'spec.template.spec.restartPolicy',
    oneOf('Always'),
  ]),
  bad('a label of the operator', { template: { ...template, metadata: { labels: { 'deploy.example.com/x': '' } } } }, [
    'spec.template',
    rule('labels that begin with deploy.example.com/ are reserved'),
  ]),
  bad('fewer than no pods', { replicas: -1 }, ['spec.replicas', atLeast(0)]),
  bad('more pods than there may be', { replicas: 10_001 }, ['spec.replicas', atMost(10_000)]),
  badName('a name from which no name of a pod can be made', 'a'.repeat(37), longest(36)),
];

export const goodCanaryRollouts: readonly GoodInput[] = [
  ...goodRollouts(canaryRollout),
  good('no pods', { replicas: 0 }),
  good('the longest name', {}, 'a'.repeat(36)),
];

const from = { ...canaryRollout, metadata: { name: 'web' } };

export const canaryRolloutChanges: readonly Change[] = [
  { kind: 'CanaryRollout', reason: 'kubectl scale', from, subresource: 'scale', patch: { spec: { replicas: 20 } } },
  {
    kind: 'CanaryRollout',
    reason: 'another image',
    from,
    patch: { spec: { template: { spec: { containers: [{ ...container, image: 'nginx:1.30' }] } } } },
  },
];
