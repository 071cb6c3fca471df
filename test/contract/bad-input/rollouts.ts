import {
  atLeast,
  atMost,
  type BadInput,
  badSpecs,
  distinct,
  flag,
  type GoodInput,
  goodSpecs,
  type Kind,
  known,
  list,
  longest,
  mostItems,
  oneOf,
  PERCENT,
  pattern,
  required,
  rule,
  whole,
} from './case.ts';

const metric = { name: 'errors', query: 'rate(errors[1m])', max: '0.01' };
const hook = { name: 'gate', type: 'ConfirmStep', url: 'http://gate.default.svc/ok' };
const stepOf = (step: object) => ({ steps: [{ percent: 10, ...step }] });

const steps = (bad: ReturnType<typeof badSpecs>): readonly BadInput[] => [
  bad('steps that go back', { steps: [{ percent: 30 }, { percent: 10 }] }, [
    'spec.steps',
    rule('steps[].percent must not decrease'),
  ]),
  bad('steps as a map', { steps: {} }, ['spec.steps', list]),
  bad('a step beyond the whole', stepOf({ percent: 101 }), ['spec.steps[0].percent', atMost(100)]),
  bad('a step below nothing', stepOf({ percent: -1 }), ['spec.steps[0].percent', atLeast(0)]),
  bad('a step in percent', stepOf({ percent: '10%' }), ['spec.steps[0].percent', whole]),
  bad('a step without percent', { steps: [{ sleep: 10 }] }, ['spec.steps[0].percent', required]),
  bad('a negative sleep', stepOf({ sleep: -1 }), ['spec.steps[0].sleep', atLeast(0)]),
  bad('a sleep of more than a week', stepOf({ sleep: 604_801 }), ['spec.steps[0].sleep', atMost(604_800)]),
  bad('a sleep as Go writes it', stepOf({ sleep: '60s' }), ['spec.steps[0].sleep', whole]),
  bad('a step that pauses and sleeps', stepOf({ pause: true, sleep: 10 }), [
    'spec.steps[0]',
    rule('a step has either pause: true'),
  ]),
  bad('a pause that is a duration', stepOf({ pause: 10 }), ['spec.steps[0].pause', flag]),
  bad('the weight of a mesh', stepOf({ setWeight: 10 }), ['spec.steps[0].setWeight', known]),
  bad('more steps than there may be', { steps: Array.from({ length: 51 }, () => ({ percent: 10 })) }, [
    'spec.steps',
    mostItems(50),
  ]),
];

const checks = (bad: ReturnType<typeof badSpecs>): readonly BadInput[] => [
  bad('a metric without bounds', stepOf({ metrics: [{ name: 'a', query: 'up' }] }), [
    'spec.steps[0].metrics[0]',
    rule('a metric needs min, max or both'),
  ]),
  bad('a metric whose bounds exclude everything', stepOf({ metrics: [{ ...metric, min: 2, max: '0.5' }] }), [
    'spec.steps[0].metrics[0]',
    rule('min must not be greater than max'),
  ]),
  bad('a bound that is no number', stepOf({ metrics: [{ ...metric, max: 'high' }] }), [
    'spec.steps[0].metrics[0].max',
    pattern('^-?[0-9]{1,15}([.][0-9]{1,9})?$'),
  ]),
  bad('a metric without query', stepOf({ metrics: [{ name: 'a', min: 1 }] }), [
    'spec.steps[0].metrics[0].query',
    required,
  ]),
  bad('two metrics of one name', stepOf({ metrics: [metric, metric] }), ['spec.steps[0].metrics[1]', distinct]),
  bad('a policy that is not known', stepOf({ metrics: [{ ...metric, onNoData: 'Ignore' }] }), [
    'spec.steps[0].metrics[0].onNoData',
    oneOf('Inconclusive', 'Fail', 'Pass'),
  ]),
  bad('a choice of series that is not known', stepOf({ metrics: [{ ...metric, series: 'All' }] }), [
    'spec.steps[0].metrics[0].series',
    oneOf('One', 'First'),
  ]),
  bad('a limit of samples without data below none', stepOf({ metrics: [{ ...metric, inconclusiveLimit: -1 }] }), [
    'spec.steps[0].metrics[0].inconclusiveLimit',
    atLeast(0),
  ]),
  bad(
    'certificates from two objects',
    stepOf({ metrics: [{ ...metric, certificateAuthority: { configMapName: 'a', secretName: 'b' } }] }),
    ['spec.steps[0].metrics[0].certificateAuthority', rule('either configMapName or secretName is needed')],
  ),
  bad('a hook of an unknown type', stepOf({ webhooks: [{ ...hook, type: 'pre-rollout' }] }), [
    'spec.steps[0].webhooks[0].type',
    oneOf('ConfirmRollout', 'Pre'),
  ]),
  bad('a hook without a scheme', stepOf({ webhooks: [{ ...hook, url: 'gate.default.svc' }] }), [
    'spec.steps[0].webhooks[0].url',
    pattern('^https?://'),
  ]),
  bad('a password in the address of a hook', { webhooks: [{ ...hook, url: 'https://a:b@gate/' }] }, [
    'spec.webhooks[0].url',
    pattern('^https?://'),
  ]),
  bad('a hook that may take an hour', { webhooks: [{ ...hook, timeoutSeconds: 3600 }] }, [
    'spec.webhooks[0].timeoutSeconds',
    atMost(60),
  ]),
  bad('a hook of a step with the name of one of the whole', { ...stepOf({ webhooks: [hook] }), webhooks: [hook] }, [
    'spec',
    rule('must not have the name of a hook of the whole rollout'),
  ]),
  bad('a notice with two addresses', { notify: [{ type: 'Slack', url: 'https://a/', secretName: 'b' }] }, [
    'spec.notify[0]',
    rule('a notice needs either url or secretName'),
  ]),
  bad('a notice without an address', { notify: [{ type: 'Slack' }] }, [
    'spec.notify[0]',
    rule('a notice needs either url or secretName'),
  ]),
  bad('a Secret of another namespace', { notify: [{ type: 'Slack', secretName: 'other/token' }] }, [
    'spec.notify[0].secretName',
    pattern('^[a-z0-9]'),
  ]),
];

const settings = (bad: ReturnType<typeof badSpecs>): readonly BadInput[] => [
  bad('neither surge nor unavailability', { maxSurge: 0, maxUnavailable: '0%' }, [
    'spec.maxUnavailable',
    rule('maxSurge and maxUnavailable must not both be zero'),
  ]),
  bad('a surge that is no percentage', { maxSurge: 'abc' }, ['spec.maxSurge', pattern('^[0-9]{1,3}%$')]),
  bad('more unavailable than there are', { maxUnavailable: '150%' }, ['spec.maxUnavailable', pattern(PERCENT)]),
  bad('a percentage that is too long', { maxSurge: '10000%' }, ['spec.maxSurge', longest(4)]),
  bad('a deadline before a pod can be available', { progressDeadlineSeconds: 30, minReadySeconds: 30 }, [
    'spec.progressDeadlineSeconds',
    rule('progressDeadlineSeconds must be greater than minReadySeconds'),
  ]),
  bad('an action that is not known', { progressDeadlineAction: 'Rollback' }, [
    'spec.progressDeadlineAction',
    oneOf('Abort', 'Pause', 'Report'),
  ]),
  bad('a window of more versions than are kept', { rollbackWindow: { revisions: 101 } }, [
    'spec.rollbackWindow.revisions',
    atMost(100),
  ]),
  bad('a negative time to keep the old', { retainOldSeconds: -1 }, ['spec.retainOldSeconds', atLeast(0)]),
];

/** Invalid specs of every kind with rollout steps. */
export const badRollouts = (kind: Kind): readonly BadInput[] => {
  const bad = badSpecs(kind);
  return [...steps(bad), ...checks(bad), ...settings(bad)];
};

/** The first three of the invalid specs, for the second kind with the same schema. */
export const badRolloutsInShort = (kind: Kind): readonly BadInput[] => steps(badSpecs(kind)).slice(0, 3);

/** Valid specs of every kind with rollout steps. */
export const goodRollouts = (kind: Kind): readonly GoodInput[] => {
  const good = goodSpecs(kind);
  return [
    good('as it is'),
    good('no steps', { steps: [] }),
    good('a last step below 100', {
      steps: [
        { percent: 10, sleep: 60 },
        { percent: 10, pause: true },
      ],
    }),
    good('a step with checks', {
      steps: [{ percent: 10, sleep: 60, metrics: [metric, { name: 'up', query: 'up', min: 1 }], webhooks: [hook] }],
      notify: [{ type: 'Slack', secretName: 'slack' }],
    }),
  ];
};
