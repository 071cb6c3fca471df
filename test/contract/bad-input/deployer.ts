import {
  atLeast,
  type BadInput,
  badSpecs,
  type Change,
  type GoodInput,
  goodSpecs,
  longest,
  mostEntries,
  oneOf,
  pattern,
  required,
  rule,
  shortest,
} from './case.ts';
import { badRolloutsInShort, goodRollouts } from './rollouts.ts';

const deployment = { name: 'nginx', image: 'nginx', version: '1.7.7', replicas: 10 };
const deployer = { apiVersion: 'deploy.example.com/v1alpha1', kind: 'Deployer', spec: { deployment } };
const bad = badSpecs(deployer);
const good = goodSpecs(deployer);
const deploying = (members: object) => ({ deployment: { ...deployment, ...members } });

const VERSION = pattern('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$');
const NAME = pattern('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$');

export const badDeployers: readonly BadInput[] = [
  ...badRolloutsInShort(deployer),
  bad('another type', { type: 'bluegreen' }, ['spec.type', oneOf('canary')]),
  bad('no deployment', { deployment: undefined }, ['spec.deployment', required]),
  bad('no image', deploying({ image: undefined }), ['spec.deployment.image', required]),
  bad('an empty image', deploying({ image: '' }), ['spec.deployment.image', shortest(1)]),
  bad('an image with a space', deploying({ image: 'a b' }), ['spec.deployment.image', pattern('^\\S+$')]),
  bad('no version', deploying({ version: undefined }), ['spec.deployment.version', required]),
  bad('a version with an underscore', deploying({ version: 'V1_2' }), ['spec.deployment.version', VERSION]),
  bad('a version with a plus', deploying({ version: '1.0+x' }), ['spec.deployment.version', VERSION]),
  bad('a name with a dot', deploying({ name: 'nginx.web' }), ['spec.deployment.name', NAME]),
  bad('a name that is too long', deploying({ name: 'a'.repeat(41), version: '1' }), [
    'spec.deployment.name',
    longest(40),
  ]),
  bad('name and version that are too long together', deploying({ name: 'a'.repeat(40), version: '1.7.777' }), [
    'spec.deployment.version',
    rule('name and version must not be longer than 46 characters together'),
  ]),
  bad('fewer than no pods', deploying({ replicas: -1 }), ['spec.deployment.replicas', atLeast(0)]),
  bad('a label of the operator', deploying({ labels: { 'deploy.example.com/x': 'y' } }), [
    'spec.deployment.labels',
    rule('labels that begin with deploy.example.com/ are reserved'),
  ]),
  bad('a label that is too long', deploying({ labels: { a: 'a'.repeat(64) } }), [
    'spec.deployment.labels.a',
    longest(63),
  ]),
  bad(
    'more labels than there may be',
    deploying({ labels: Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`l${at}`, ''])) }),
    ['spec.deployment.labels', mostEntries(32)],
  ),
];

export const goodDeployers: readonly GoodInput[] = [
  ...goodRollouts(deployer),
  good('no pods', deploying({ replicas: 0 })),
  good('an image with a digest', deploying({ image: `nginx@sha256:${'0'.repeat(64)}` })),
  good('name and version of 46 characters', deploying({ name: 'a'.repeat(40), version: '1.7.77' })),
];

const from = { ...deployer, metadata: { name: 'nginx' } };
const placed = { ...from, spec: deploying({ namespace: 'default' }) };
const to = (members: object) => ({ spec: { deployment: members } });
const deploymentField = (name: string, message: string) => ({ field: `spec.deployment.${name}`, message });
const namespaceStays = deploymentField('namespace', 'deployment.namespace cannot be changed');

export const deployerChanges: readonly Change[] = [
  { kind: 'Deployer', reason: 'another version', from, patch: to({ version: '1.7.8' }) },
  { kind: 'Deployer', reason: 'another image with another version', from, patch: to({ version: '2', image: 'caddy' }) },
  {
    kind: 'Deployer',
    reason: 'another image alone',
    from,
    patch: to({ image: 'caddy' }),
    refused: deploymentField('image', 'image may change only together with version'),
  },
  {
    kind: 'Deployer',
    reason: 'another name',
    from,
    patch: to({ name: 'caddy' }),
    refused: deploymentField('name', 'deployment.name cannot be changed'),
  },
  {
    kind: 'Deployer',
    reason: 'another namespace',
    from: placed,
    patch: to({ namespace: 'b' }),
    refused: namespaceStays,
  },
  {
    kind: 'Deployer',
    reason: 'a namespace that goes',
    from: placed,
    patch: to({ namespace: null }),
    refused: namespaceStays,
  },
  {
    kind: 'Deployer',
    reason: 'a namespace that is added',
    from,
    patch: to({ namespace: 'default' }),
    refused: namespaceStays,
  },
  {
    kind: 'Deployer',
    reason: 'kubectl scale',
    from,
    subresource: 'scale',
    patch: { spec: { replicas: 20 } },
  },
  {
    kind: 'Deployer',
    reason: 'a status of the operator',
    from,
    subresource: 'status',
    patch: { status: { phase: 'Healthy', replicas: 10 } },
  },
];
