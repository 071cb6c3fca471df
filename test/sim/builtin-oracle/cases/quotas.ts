import type { JsonObject } from '#lib/json.ts';
import type { Case, Change } from '../case.ts';

const quota = (name: string, spec: JsonObject, changes: readonly Change[] = []): Case => ({
  name: `resourcequota: ${name}`,
  kind: 'ResourceQuota',
  object: { metadata: { name: 'q' }, spec },
  changes,
});

const status = (merge: JsonObject): Change => ({ subresource: 'status', merge: { status: merge } });

const present = (hard: JsonObject, used: JsonObject, spec: JsonObject = {}): NonNullable<Case['before']>[number] => ({
  kind: 'ResourceQuota',
  metadata: { name: 'q' },
  spec: { hard, ...spec },
  status: { hard, used },
});

const podWith = (resources: JsonObject, spec: JsonObject = {}): JsonObject => ({
  metadata: { name: 'p' },
  spec: { containers: [{ name: 'c', image: 'i', resources }], ...spec },
});

const within = (
  name: string,
  kind: string,
  { object, before }: { object: JsonObject; before: Case['before'] },
): Case => ({
  name: `within a quota: ${name}`,
  kind,
  object,
  ...(before && { before }),
});

/** ResourceQuotas. */
export const quotas: readonly Case[] = [
  quota('empty', {}),
  quota(
    'amounts',
    { hard: { pods: '10', 'requests.cpu': '1000m', 'count/podsets.example.com': 5, memory: '0.0001' } },
    [
      status({ hard: { pods: '10' }, used: { pods: 2 } }),
      status({ hard: { pods: '-1', x: '1' } }),
      { merge: { spec: { hard: { pods: 5 } } } },
      { merge: { spec: { scopes: ['BestEffort'] } } },
    ],
  ),
  quota('scopes', { hard: { pods: '1' }, scopes: ['NotTerminating', 'BestEffort'] }),
  quota('a scope selector', {
    hard: { pods: '1' },
    scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['a'] }] },
  }),
  quota('wrong amounts', { hard: { pods: '1.5', x: '1', 'requests.cpu': '-1', storage: '1', 'a b/c': '1' } }),
  quota('wrong scopes', {
    hard: { pods: '1', services: '1' },
    scopes: ['X', 'Terminating', 'NotTerminating', 'BestEffort'],
  }),
  quota('a wrong scope selector', {
    hard: { pods: '1' },
    scopeSelector: {
      matchExpressions: [
        { scopeName: 'Y', operator: 'In' },
        { scopeName: 'Terminating', operator: 'In', values: ['a'] },
        { scopeName: 'PriorityClass', operator: 'Exists', values: ['a'] },
        { scopeName: 'PriorityClass', operator: 'Z' },
      ],
    },
  }),
];

const cpu = { limits: { cpu: '500m' } };

/** Objects that are created in a namespace with a quota. */
export const quotaAdmission: readonly Case[] = [
  within('room left', 'Pod', { object: podWith({}), before: [present({ pods: '3' }, { pods: '2' })] }),
  within('no room left', 'Pod', {
    object: podWith({}),
    before: [present({ pods: '2', services: '1' }, { pods: '2', services: '0' })],
  }),
  within('not counted yet', 'Pod', { object: podWith({}), before: [present({ pods: '2', 'count/pods': '5' }, {})] }),
  within('cpu', 'Pod', {
    object: podWith(cpu),
    before: [
      present(
        { 'requests.cpu': '1', 'limits.cpu': '1', cpu: '1' },
        { 'requests.cpu': '600m', 'limits.cpu': '0.4', cpu: '0' },
      ),
    ],
  }),
  within('cpu that is not said', 'Pod', {
    object: podWith({}, { initContainers: [{ name: 'i', image: 'i', resources: cpu }] }),
    before: [present({ 'requests.cpu': '1', 'limits.memory': '1Gi' }, { 'requests.cpu': '0', 'limits.memory': '0' })],
  }),
  within('init containers and sidecars', 'Pod', {
    object: podWith(cpu, {
      initContainers: [
        { name: 's', image: 's', restartPolicy: 'Always', resources: cpu },
        { name: 'i', image: 'i', resources: { limits: { cpu: 1 } } },
      ],
    }),
    before: [present({ 'limits.cpu': '1' }, { 'limits.cpu': '0' })],
  }),
  within('a pod out of scope', 'Pod', {
    object: podWith(cpu),
    before: [present({ pods: '0' }, { pods: '0' }, { scopes: ['BestEffort'] })],
  }),
  within('a pod in scope', 'Pod', {
    object: podWith({}),
    before: [present({ pods: '0' }, { pods: '0' }, { scopes: ['BestEffort'] })],
  }),
  within('a terminating pod', 'Pod', {
    object: podWith({}, { activeDeadlineSeconds: 5 }),
    before: [
      present(
        { pods: '0' },
        { pods: '0' },
        { scopeSelector: { matchExpressions: [{ scopeName: 'Terminating', operator: 'Exists' }] } },
      ),
    ],
  }),
  within('extended resources', 'Pod', {
    object: podWith({ limits: { 'example.com/gpu': 2 } }),
    before: [present({ 'requests.example.com/gpu': '1' }, { 'requests.example.com/gpu': '0' })],
  }),
  within('resources of Kubernetes', 'Pod', {
    object: podWith({ limits: { 'kubernetes.io/batteries': 2 } }),
    before: [present({ pods: '9', 'requests.kubernetes.io/batteries': '1' }, { pods: '0' })],
  }),
  within('resources of a device class', 'Pod', {
    object: podWith({ limits: { 'deviceclass.resource.kubernetes.io/gpu': 2 } }),
    before: [
      present(
        { 'requests.deviceclass.resource.kubernetes.io/gpu': '1' },
        { 'requests.deviceclass.resource.kubernetes.io/gpu': '0' },
      ),
    ],
  }),
  within('config maps', 'ConfigMap', {
    object: { metadata: { name: 'c' } },
    before: [
      present({ configmaps: '1', 'count/configmaps': '1', pods: '0' }, { configmaps: '1', 'count/configmaps': '1' }),
    ],
  }),
  within('services of a type', 'Service', {
    object: { metadata: { name: 's' }, spec: { type: 'NodePort', ports: [{ port: 1 }] } },
    before: [present({ services: '9', 'services.nodeports': '0' }, { services: '0', 'services.nodeports': '0' })],
  }),
  within('deployments', 'Deployment', {
    object: {
      metadata: { name: 'd' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'b' }] } },
      },
    },
    before: [present({ 'count/deployments.apps': '0' }, { 'count/deployments.apps': '0' })],
  }),
];
