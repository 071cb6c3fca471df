import {
  atLeast,
  atMost,
  type BadInput,
  badNames,
  badSpecs,
  type Change,
  dns,
  type GoodInput,
  goodSpecs,
  known,
  longest,
  required,
  whole,
} from './case.ts';

const podSet = { apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet', spec: { replicas: 3 } };
const bad = badSpecs(podSet);
const badName = badNames(podSet);
const good = goodSpecs(podSet);

const numbers: readonly BadInput[] = [
  bad('fewer than no pods', { replicas: -1 }, ['spec.replicas', atLeast(0)]),
  bad('more pods than a set may have', { replicas: 10_001 }, ['spec.replicas', atMost(10_000)]),
  bad('a number in quotes', { replicas: '3' }, ['spec.replicas', whole]),
  bad('half a pod', { replicas: 1.5 }, ['spec.replicas', whole]),
];

export const badPodSets: readonly BadInput[] = [
  ...numbers,
  bad('a field that is misspelt', { replica: 3 }, ['spec.replica', known]),
  bad('no spec', undefined, ['spec', required]),
  badName('a name from which no name of a pod can be made', 'a'.repeat(58), longest(57)),
  badName('a name of 300 characters', 'a'.repeat(300), longest(57)),
  badName('a space in the name', 'my set', dns),
];

export const goodPodSets: readonly GoodInput[] = [
  good('as it is'),
  good('an empty spec', { replicas: undefined }),
  good('the longest name', {}, 'a'.repeat(57)),
];

const from = { ...podSet, metadata: { name: 'web' } };

export const podSetChanges: readonly Change[] = [
  { kind: 'PodSet', reason: 'kubectl scale', from, subresource: 'scale', patch: { spec: { replicas: 7 } } },
  {
    kind: 'PodSet',
    reason: 'kubectl scale to fewer than none',
    from,
    subresource: 'scale',
    patch: { spec: { replicas: -1 } },
    refused: { field: 'spec.replicas', message: 'greater than or equal to 0' },
  },
];
