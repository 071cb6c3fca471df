import {
  atLeast,
  atMost,
  type BadInput,
  badNames,
  badSpecs,
  type Change,
  distinct,
  dns,
  fewestItems,
  fields,
  flag,
  type GoodInput,
  goodSpecs,
  known,
  list,
  longest,
  oneOf,
  PERCENT,
  pattern,
  required,
  rule,
  shortest,
  whole,
  wholeOrText,
} from './case.ts';

const podSet = { apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet', spec: { replicas: 3 } };
const bad = badSpecs(podSet);
const badName = badNames(podSet);
const good = goodSpecs(podSet);

const container = { name: 'web', image: 'nginx:1.29' };
const templateOf = (spec: object, metadata: object = { labels: { app: 'web' } }) => ({ template: { metadata, spec } });
const strategy = (updateStrategy: object) => ({ updateStrategy });

const numbers: readonly BadInput[] = [
  bad('fewer than no pods', { replicas: -1 }, ['spec.replicas', atLeast(0)]),
  bad('more pods than a set may have', { replicas: 10_001 }, ['spec.replicas', atMost(10_000)]),
  bad('a number in quotes', { replicas: '3' }, ['spec.replicas', whole]),
  bad('half a pod', { replicas: 1.5 }, ['spec.replicas', whole]),
  bad('a duration as Go writes it', { minReadySeconds: '10s' }, ['spec.minReadySeconds', whole]),
  bad('a negative duration', { minReadySeconds: -1 }, ['spec.minReadySeconds', atLeast(0)]),
  bad('no deadline', { progressDeadlineSeconds: 0 }, ['spec.progressDeadlineSeconds', atLeast(1)]),
  bad('a deadline before a pod can be available', { progressDeadlineSeconds: 30, minReadySeconds: 30 }, [
    'spec.progressDeadlineSeconds',
    rule('progressDeadlineSeconds must be greater than minReadySeconds'),
  ]),
  bad('a negative history', { revisionHistoryLimit: -1 }, ['spec.revisionHistoryLimit', atLeast(0)]),
  bad('a text for true or false', { paused: 'true' }, ['spec.paused', flag]),
  bad('a policy in lower case', { podReplacementPolicy: 'terminationStarted' }, [
    'spec.podReplacementPolicy',
    oneOf('TerminationStarted', 'TerminationComplete'),
  ]),
];

const strategies: readonly BadInput[] = [
  bad('neither surge nor unavailability', strategy({ maxSurge: 0, maxUnavailable: 0 }), [
    'spec.updateStrategy.maxUnavailable',
    rule('maxSurge and maxUnavailable cannot both be zero'),
  ]),
  bad('neither surge nor unavailability, in percent', strategy({ maxSurge: '0%', maxUnavailable: '0%' }), [
    'spec.updateStrategy.maxUnavailable',
    rule('maxSurge and maxUnavailable cannot both be zero'),
  ]),
  bad('a surge that is no percentage', strategy({ maxSurge: 'abc' }), [
    'spec.updateStrategy.maxSurge',
    pattern('^[0-9]{1,3}%$'),
  ]),
  bad('a number in quotes as a surge', strategy({ maxSurge: '3' }), [
    'spec.updateStrategy.maxSurge',
    pattern('^[0-9]{1,3}%$'),
  ]),
  bad('a negative surge', strategy({ maxSurge: -1 }), ['spec.updateStrategy.maxSurge', atLeast(0)]),
  bad('a surge that is true', strategy({ maxSurge: true }), ['spec.updateStrategy.maxSurge', wholeOrText]),
  bad('more unavailable than there are', strategy({ maxUnavailable: '150%' }), [
    'spec.updateStrategy.maxUnavailable',
    pattern(PERCENT),
  ]),
  bad('a strategy of another kind', strategy({ type: 'Recreate' }), [
    'spec.updateStrategy.type',
    oneOf('RollingUpdate', 'OnDelete'),
  ]),
  bad('a strategy as a text', strategy('RollingUpdate' as unknown as object), ['spec.updateStrategy', fields]),
  bad('the fields of a Deployment', strategy({ rollingUpdate: { maxSurge: 1 } }), [
    'spec.updateStrategy.rollingUpdate',
    known,
  ]),
  bad('a longest delay below the first one', { failedPods: { initialSeconds: 60, maxSeconds: 30 } }, [
    'spec.failedPods.maxSeconds',
    rule('maxSeconds must not be less than initialSeconds'),
  ]),
  bad('failed pods kept in negative number', { failedPods: { keepLast: -1 } }, [
    'spec.failedPods.keepLast',
    atLeast(0),
  ]),
];

const templates: readonly BadInput[] = [
  bad('a template without spec', { template: {} }, ['spec.template.spec', required]),
  bad('a template without containers', templateOf({}), ['spec.template.spec.containers', required]),
  bad('a template with an empty list of containers', templateOf({ containers: [] }), [
    'spec.template.spec.containers',
    fewestItems(1),
  ]),
  bad('containers as a map', templateOf({ containers: {} }), ['spec.template.spec.containers', list]),
  bad('a container without name', templateOf({ containers: [{ image: 'nginx' }] }), [
    'spec.template.spec.containers[0].name',
    required,
  ]),
  bad('a container without image', templateOf({ containers: [{ name: 'web' }] }), [
    'spec.template.spec.containers[0].image',
    required,
  ]),
  bad('an empty image', templateOf({ containers: [{ name: 'web', image: '' }] }), [
    'spec.template.spec.containers[0].image',
    shortest(1),
  ]),
  bad('capitals in the name of a container', templateOf({ containers: [{ name: 'Web', image: 'nginx' }] }), [
    'spec.template.spec.containers[0].name',
    pattern('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'),
  ]),
  bad('two containers of one name', templateOf({ containers: [container, container] }), [
    'spec.template.spec.containers[1]',
    distinct,
  ]),
  bad('pods that end', templateOf({ containers: [container], restartPolicy: 'Never' }), [
    'spec.template.spec.restartPolicy',
    oneOf('Always'),
  ]),
  bad('a label that is too long', templateOf({ containers: [container] }, { labels: { app: 'a'.repeat(64) } }), [
    'spec.template.metadata.labels.app',
    longest(63),
  ]),
  bad('a selector value with a space', { selector: { matchLabels: { app: 'a b' } } }, [
    'spec.selector.matchLabels.app',
    pattern('[A-Za-z0-9]'),
  ]),
];

export const badPodSets: readonly BadInput[] = [
  ...numbers,
  ...strategies,
  ...templates,
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
  good('a surge beyond the whole', strategy({ maxSurge: '200%', maxUnavailable: 0 })),
  good('nothing to surge when users delete', strategy({ type: 'OnDelete', maxSurge: 0, maxUnavailable: 0 })),
  good('everything that a pod template has', templateOf({ containers: [container], hostNetwork: true })),
];

const from = { ...podSet, metadata: { name: 'web' } };
const selected = { ...from, spec: { replicas: 1, selector: { matchLabels: { app: 'web' } } } };
const immutable = { field: 'spec.selector', message: 'selector is immutable' };

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
  {
    kind: 'PodSet',
    reason: 'a selector that is added later',
    from,
    patch: { spec: selected.spec },
    refused: immutable,
  },
  {
    kind: 'PodSet',
    reason: 'a selector that goes',
    from: selected,
    patch: { spec: { selector: null } },
    refused: immutable,
  },
  {
    kind: 'PodSet',
    reason: 'another selector',
    from: selected,
    patch: { spec: { selector: { matchLabels: { app: 'b' } } } },
    refused: immutable,
  },
  { kind: 'PodSet', reason: 'a template', from: selected, patch: { spec: templateOf({ containers: [container] }) } },
];
