import {
  atLeast,
  atMost,
  type BadInput,
  badNames,
  badSpecs,
  type Change,
  dns,
  fields,
  flag,
  type GoodInput,
  goodSpecs,
  known,
  longest,
  oneOf,
  pattern,
  required,
  rule,
  shortest,
  text,
  whole,
} from './case.ts';

const immortal = {
  apiVersion: 'immortalcontainer.flugel.it/v1alpha1',
  kind: 'ImmortalContainer',
  spec: { image: 'nginx:latest' },
};
const bad = badSpecs(immortal);
const badName = badNames(immortal);
const good = goodSpecs(immortal);

export const badImmortalContainers: readonly BadInput[] = [
  bad('an empty image', { image: '' }, ['spec.image', shortest(1)]),
  bad('an image with a space', { image: 'a b' }, ['spec.image', pattern('^\\S+$')]),
  bad('an image that is a number', { image: 7 }, ['spec.image', text]),
  bad('an image that is too long', { image: 'a'.repeat(513) }, ['spec.image', longest(512)]),
  bad('no image', { image: undefined }, ['spec.image', required]),
  bad('a restart policy in lower case', { restartPolicy: 'always' }, [
    'spec.restartPolicy',
    oneOf('Always', 'OnFailure', 'Never'),
  ]),
  bad(
    'two restart policies',
    { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'b' }] } } },
    ['spec.template', rule('must be absent or the same as spec.restartPolicy')],
  ),
  bad('an update policy of another kind', { updatePolicy: 'RollingUpdate' }, [
    'spec.updatePolicy',
    oneOf('Recreate', 'InPlace'),
  ]),
  bad('a text for true or false', { suspend: 'yes' }, ['spec.suspend', flag]),
  bad('a negative duration', { forceDeleteAfterSeconds: -1 }, ['spec.forceDeleteAfterSeconds', atLeast(0)]),
  bad('a duration as Go writes it', { forceDeleteAfterSeconds: '30s' }, ['spec.forceDeleteAfterSeconds', whole]),
  bad('a first delay that is longer than the longest', { backoff: { initialSeconds: 20, maxSeconds: 10 } }, [
    'spec.backoff',
    rule('initialSeconds must not be greater than maxSeconds'),
  ]),
  bad('a first delay that is longer than the default of the longest', { backoff: { initialSeconds: 301 } }, [
    'spec.backoff',
    rule('initialSeconds must not be greater than maxSeconds'),
  ]),
  bad('a first delay of more than an hour', { backoff: { initialSeconds: 3601 } }, [
    'spec.backoff.initialSeconds',
    atMost(3600),
  ]),
  bad('no longest delay', { backoff: { maxSeconds: 0 } }, ['spec.backoff.maxSeconds', atLeast(1)]),
  bad('a back-off that is a number', { backoff: 10 }, ['spec.backoff', fields]),
  bad('a field that is misspelt', { backof: {} }, ['spec.backof', known]),
  bad('a field of a back-off that is misspelt', { backoff: { max: 10 } }, ['spec.backoff.max', known]),
  bad('no spec', undefined, ['spec', required]),
  badName('a name from which no name of a pod can be made', 'a'.repeat(52), longest(51)),
  badName('a name with a dot', 'web.v1', rule('without dots')),
  badName('a dash at the end of the name', 'web-', dns),
];

export const goodImmortalContainers: readonly GoodInput[] = [
  good('as it is'),
  good('the longest name', {}, 'a'.repeat(51)),
  good('all fields', {
    restartPolicy: 'Never',
    updatePolicy: 'InPlace',
    suspend: true,
    forceDeleteAfterSeconds: 60,
    backoff: { initialSeconds: 0, maxSeconds: 1, resetAfterSeconds: 1 },
  }),
  good('an empty back-off', { backoff: {} }),
];

const from = { ...immortal, metadata: { name: 'web' } };

export const immortalContainerChanges: readonly Change[] = [
  { kind: 'ImmortalContainer', reason: 'another image', from, patch: { spec: { image: 'nginx:1.29' } } },
  {
    kind: 'ImmortalContainer',
    reason: 'a status of the operator',
    from,
    subresource: 'status',
    patch: { status: { phase: 'Running', startTimes: 1 } },
  },
  {
    kind: 'ImmortalContainer',
    reason: 'a status with a count below zero',
    from,
    subresource: 'status',
    patch: { status: { startTimes: -1 } },
    refused: { field: 'status.startTimes', message: 'greater than or equal to 0' },
  },
];
