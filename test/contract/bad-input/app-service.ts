import {
  atLeast,
  atMost,
  type BadInput,
  badNames,
  badSpecs,
  type Change,
  dns,
  fields,
  type GoodInput,
  goodSpecs,
  known,
  longest,
  required,
  rule,
  whole,
} from './case.ts';

const appService = { apiVersion: 'app.example.com/v1alpha1', kind: 'AppService', spec: { replicas: 3 } };
const bad = badSpecs(appService);
const badName = badNames(appService);
const good = goodSpecs(appService);

const manifest = { apiVersion: appService.apiVersion, kind: appService.kind, metadata: { name: 'web' } };

export const badAppServices: readonly BadInput[] = [
  bad('fewer than no pods', { replicas: -1 }, ['spec.replicas', atLeast(0)]),
  bad('more pods than a set may have', { replicas: 10_001 }, ['spec.replicas', atMost(10_000)]),
  bad('a number in quotes', { replicas: '3' }, ['spec.replicas', whole]),
  bad('half a pod', { replicas: 2.5 }, ['spec.replicas', whole]),
  bad('a field that it does not have', { image: 'nginx' }, ['spec.image', known]),
  bad('no spec', undefined, ['spec', required]),
  bad('a spec that is a text', 'replicas: 3', ['spec', fields]),
  {
    kind: 'AppService',
    reason: 'the number of pods under another name',
    object: { ...manifest, spec: { size: 3 } },
    field: 'spec.replicas',
    allowed: required,
  },
  bad('the number of pods under two names', { size: 3 }, ['spec.size', rule('the number of pods is spec.replicas')]),
  badName('a name from which no name of a pod can be made', 'a'.repeat(58), longest(57)),
  badName('capitals in the name', 'Web', dns),
];

export const goodAppServices: readonly GoodInput[] = [
  good('as it is'),
  good('no pods', { replicas: 0 }),
  good('the longest name', {}, 'a'.repeat(57)),
];

export const appServiceChanges: readonly Change[] = [
  {
    kind: 'AppService',
    reason: 'kubectl scale',
    from: { ...manifest, spec: { replicas: 1 } },
    subresource: 'scale',
    patch: { spec: { replicas: 7 } },
  },
  {
    kind: 'AppService',
    reason: 'the number of pods removed',
    from: { ...manifest, spec: { replicas: 1 } },
    patch: { spec: { replicas: null } },
    refused: { field: 'spec.replicas', message: 'Required value' },
  },
];
