import type { JsonObject } from '#lib/json.ts';
import type { Case, Change } from '../case.ts';

const rangeOf = (...limits: readonly JsonObject[]): JsonObject => ({ metadata: { name: 'l' }, spec: { limits } });

const range = (name: string, limits: readonly JsonObject[], changes: readonly Change[] = []): Case => ({
  name: `limitrange: ${name}`,
  kind: 'LimitRange',
  object: rangeOf(...limits),
  changes,
});

/** LimitRanges. */
const limitRanges: readonly Case[] = [
  { name: 'limitrange: no spec', kind: 'LimitRange', object: { metadata: { name: 'l' } } },
  range('no limits', []),
  range('a change to a wrong type', [], [{ merge: { spec: { limits: [{ type: 'Cup' }] } } }]),
  range('the defaults of containers', [
    {
      type: 'Container',
      max: { cpu: '2', memory: '1Gi' },
      min: { cpu: '100m', 'ephemeral-storage': '0.0001' },
      default: { cpu: '1000m' },
      maxLimitRequestRatio: { cpu: 20 },
    },
  ]),
  range(
    'all types',
    [
      { type: 'Pod', max: { cpu: '2' }, min: { cpu: '1' }, maxLimitRequestRatio: { cpu: '1.5' } },
      { type: 'Container', defaultRequest: { memory: '1Gi', 'hugepages-2Mi': '2Mi' } },
      { type: 'PersistentVolumeClaim', max: { storage: '10Gi' } },
      { type: 'example.com/bowls', max: { cpu: '1' } },
    ],
    [{ merge: { spec: { limits: [{ type: 'Container', max: { cpu: '1' } }] } } }],
  ),
  range('wrong types', [{ type: 'Cup' }, { type: 'a b' }, { type: 'Cup' }, {}]),
  range('wrong names', [
    { type: 'Container', max: { storage: '1', x: '1' } },
    { type: 'Pod', min: { 'kubernetes.io/x': '1', pods: '1' }, default: { cpu: 1 }, defaultRequest: { cpu: 1 } },
    { type: 'PersistentVolumeClaim', max: { cpu: '1', y: '1' } },
  ]),
  range('a minimum above all others', [
    { type: 'Container', min: { cpu: '5' }, max: { cpu: '4' }, default: { cpu: '3' }, defaultRequest: { cpu: '2' } },
  ]),
  range('a maximum below all others', [
    { type: 'Container', max: { cpu: '1' }, default: { cpu: '2' }, defaultRequest: { cpu: '3' } },
  ]),
  range('wrong ratios', [
    { type: 'Container', maxLimitRequestRatio: { cpu: '0.5' } },
    { type: 'Pod', min: { cpu: '1' }, max: { cpu: '3' }, maxLimitRequestRatio: { cpu: '4' } },
  ]),
  range('amounts that must be the same', [
    { type: 'Container', default: { 'example.com/gpu': '2' }, defaultRequest: { 'example.com/gpu': '1' } },
  ]),
];

const podWith = (resources: JsonObject, spec: JsonObject = {}): JsonObject => ({
  metadata: { name: 'p' },
  spec: { containers: [{ name: 'c', image: 'i', resources }], ...spec },
});

const within = (name: string, limit: JsonObject, object: JsonObject, changes: readonly Change[] = []): Case => ({
  name: `within a limit range: ${name}`,
  kind: 'Pod',
  object,
  changes,
  before: [{ kind: 'LimitRange', ...rangeOf(limit) }],
});

const claim = (name: string, limit: JsonObject, changes: readonly Change[] = []): Case => ({
  ...within(
    name,
    { type: 'PersistentVolumeClaim', ...limit },
    {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } } },
    },
  ),
  kind: 'PersistentVolumeClaim',
  changes,
});

const quotaOfCpu = (hard: string): JsonObject => ({
  metadata: { name: 'q' },
  spec: { hard: { 'limits.cpu': hard } },
  status: { hard: { 'limits.cpu': hard }, used: { 'limits.cpu': '0' } },
});

const cpu = (requests: string, limits: string): JsonObject => ({
  requests: { cpu: requests },
  limits: { cpu: limits },
});
const inits = { initContainers: [{ name: 'i', image: 'i', resources: cpu('1', '3') }] };

/** Pods and claims that are created in a namespace with a LimitRange. */
const limitAdmissions: readonly Case[] = [
  within(
    'defaults',
    { type: 'Container', default: { cpu: '1', memory: '1Gi' }, defaultRequest: { cpu: '100m' } },
    {
      ...podWith({ limits: { memory: '2Gi' } }, { initContainers: [{ name: 'i', image: 'i' }] }),
    },
  ),
  within('nothing is added', { type: 'Container', default: { cpu: '1' } }, podWith(cpu('1', '2'))),
  within(
    'a default request above the limit',
    { type: 'Container', defaultRequest: { cpu: '2' } },
    podWith({
      requests: { memory: '1' },
      limits: { memory: '1' },
    }),
  ),
  within('a request below the minimum', { type: 'Container', min: { cpu: '1' } }, podWith(cpu('500m', '2'))),
  within('a minimum without a request', { type: 'Pod', min: { cpu: '1' } }, podWith({})),
  within('a maximum without a limit', { type: 'Pod', max: { cpu: '1' } }, podWith({ requests: { cpu: '1' } })),
  within('a limit above the maximum', { type: 'Container', max: { cpu: '1' } }, podWith(cpu('1', '1500m'))),
  within('two containers', { type: 'Container', min: { cpu: '2' }, max: { cpu: '2' } }, podWith(cpu('1', '4'), inits)),
  within('the same problem twice', { type: 'Container', min: { cpu: '2' } }, podWith(cpu('1', '3'), inits)),
  within('the sum of a pod', { type: 'Pod', max: { cpu: '2500m' } }, podWith(cpu('1', '2'), inits)),
  within('a sum that fits', { type: 'Pod', max: { cpu: '3' }, min: { cpu: '1' } }, podWith(cpu('1', '2'), inits)),
  within('a ratio', { type: 'Container', maxLimitRequestRatio: { cpu: '2.5' } }, podWith(cpu('300m', '1'))),
  within('a ratio that fits', { type: 'Container', maxLimitRequestRatio: { cpu: '2.5' } }, podWith(cpu('2', '5'))),
  within('a ratio without a request', { type: 'Container', maxLimitRequestRatio: { cpu: '2' } }, podWith({})),
  within(
    'a ratio without a limit',
    { type: 'Pod', maxLimitRequestRatio: { cpu: '2' } },
    podWith({
      requests: { cpu: '1' },
    }),
  ),
  {
    ...within('defaults fulfil a quota', { type: 'Container', default: { cpu: '1' } }, podWith({})),
    before: [
      { kind: 'LimitRange', ...rangeOf({ type: 'Container', default: { cpu: '1' } }) },
      { kind: 'ResourceQuota', ...quotaOfCpu('1') },
    ],
  },
  {
    ...within('the limit range comes before the quota', {}, podWith(cpu('2', '2'))),
    before: [
      { kind: 'LimitRange', ...rangeOf({ type: 'Container', max: { cpu: '1' } }) },
      { kind: 'ResourceQuota', ...quotaOfCpu('1') },
    ],
  },
  within('a pod that changes', { type: 'Pod', max: { memory: '1Gi' } }, podWith({ limits: { memory: '1Gi' } }), [
    { merge: { metadata: { labels: { a: 'b' } } } },
  ]),
  claim('a claim that fits', { min: { storage: '1Gi' }, max: { storage: '2Gi' } }, [
    { merge: { metadata: { labels: { a: 'b' } } } },
  ]),
  claim('a claim below the minimum', { min: { storage: '3Gi' } }),
  claim('a claim above the maximum', { max: { storage: '1Gi' } }),
  claim('a claim without a request', { max: { storage: '2Gi', cpu: '1' } }),
];

/** LimitRanges, and objects in a namespace with a LimitRange. */
export const limitRangeCases: readonly Case[] = [...limitRanges, ...limitAdmissions];
