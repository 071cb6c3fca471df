import type { JsonObject } from '#lib/json.ts';
import type { KindUnderTest } from './kind-under-test.ts';

const core = (plural: string): KindUnderTest['resource'] => ({ group: '', version: 'v1', plural });

const spec = (members: object): JsonObject => ({ spec: members });

const configMaps: KindUnderTest = {
  resource: core('configmaps'),
  kind: 'ConfigMap',
  namespaced: true,
  weight: 5,
  base: { data: { a: '1' } },
  variants: [
    { data: { a: '2' } },
    { data: { b: '1', c: '2' } },
    { data: { a: null } },
    { data: null },
    { data: {} },
    { binaryData: { bin: 'AAEC' } },
    { immutable: true },
    { immutable: false },
  ],
  faults: [
    { data: { 'not a key!': 'x' } },
    { data: { a: 1 } },
    { data: { a: { b: 'c' } } },
    { data: ['a'] },
    { data: { bin: 'x' }, binaryData: { bin: 'AAEC' } },
    { binaryData: { bin: 'not base64!' } },
    { immutable: 'yes' },
    { surplus: 'x' },
    { data: { a: null, '..': 'x' } },
  ],
};

const secrets: KindUnderTest = {
  resource: core('secrets'),
  kind: 'Secret',
  namespaced: true,
  weight: 3,
  base: { data: { a: 'MQ==' } },
  variants: [
    { data: { a: 'Mg==' } },
    { data: { b: 'MQ==' } },
    { stringData: { s: 'text' } },
    { stringData: { a: 'over' } },
    { type: 'Opaque' },
    { type: 'example.com/own' },
    { immutable: true },
    { data: null },
  ],
  faults: [
    { data: { a: 'not base64!' } },
    { data: { 'a b': 'MQ==' } },
    { type: 'kubernetes.io/tls' },
    { type: 'kubernetes.io/basic-auth' },
    { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': 'bm90IGpzb24=' } },
    { type: 'kubernetes.io/service-account-token' },
    { other: 1 },
  ],
  fieldSelectors: ['type=Opaque', 'type!=Opaque'],
};

const services: KindUnderTest = {
  resource: core('services'),
  kind: 'Service',
  namespaced: true,
  weight: 4,
  base: { spec: { ports: [{ port: 80 }], selector: { app: 'a' } } },
  variants: [
    spec({
      ports: [
        { name: 'web', port: 80, targetPort: 'http' },
        { name: 'tls', port: 443 },
      ],
    }),
    spec({ ports: [{ port: 81, targetPort: 8080 }] }),
    spec({ ports: [{ port: 53, protocol: 'UDP' }] }),
    spec({ selector: { app: 'b' } }),
    spec({ selector: null }),
    spec({ clusterIP: 'None' }),
    spec({ sessionAffinity: 'ClientIP' }),
    spec({ publishNotReadyAddresses: true }),
    spec({ internalTrafficPolicy: 'Local' }),
    spec({ ipFamilyPolicy: 'SingleStack' }),
    spec({ type: 'ClusterIP' }),
    spec({ type: 'ExternalName', externalName: 'example.com', clusterIP: null, ports: null }),
    spec({ type: 'LoadBalancer', allocateLoadBalancerNodePorts: false, loadBalancerClass: 'example.com/balancer' }),
    spec({ type: 'LoadBalancer', allocateLoadBalancerNodePorts: false, loadBalancerIP: '192.0.2.1' }),
  ],
  faults: [
    spec({ ports: [] }),
    spec({ ports: null }),
    spec({ ports: [{ port: 0 }] }),
    spec({ ports: [{ port: 80 }, { port: 81 }] }),
    spec({ ports: [{ name: 'Web', port: 80 }] }),
    spec({ ports: [{ port: 80, protocol: 'ICMP' }] }),
    spec({
      ports: [
        { name: 'a', port: 80 },
        { name: 'b', port: 80 },
      ],
    }),
    spec({ ports: [{ port: 'http' }] }),
    spec({ type: 'Other' }),
    spec({ sessionAffinity: 'Other' }),
    spec({ selector: { 'bad key!': 'x' } }),
    spec({ clusterIP: 'not-an-ip' }),
    spec({ loadBalancerClass: 'example.com/balancer' }),
    spec({ type: 'LoadBalancer', allocateLoadBalancerNodePorts: false, loadBalancerClass: 'not a name' }),
    spec({ other: 1 }),
  ],
  statuses: [
    { loadBalancer: {} },
    {
      conditions: [{ type: 'A', status: 'True', reason: 'R', message: '', lastTransitionTime: '2024-01-01T00:00:00Z' }],
    },
    { conditions: [{ type: 'B', status: 'True' }] },
    { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } },
  ],
  fieldSelectors: ['spec.type=ClusterIP', 'spec.clusterIP=None'],
};

const leases: KindUnderTest = {
  resource: { group: 'coordination.k8s.io', version: 'v1', plural: 'leases' },
  kind: 'Lease',
  namespaced: true,
  weight: 2,
  base: { spec: { holderIdentity: 'one', leaseDurationSeconds: 15 } },
  variants: [
    spec({ holderIdentity: 'two', leaseTransitions: 1 }),
    spec({ renewTime: '2024-01-01T00:00:00.000000Z' }),
    spec({ renewTime: '2024-01-01T00:00:01.500000Z', acquireTime: '2024-01-01T00:00:00.000000Z' }),
    spec({ leaseDurationSeconds: 20 }),
    spec({ renewTime: null }),
    { spec: null },
  ],
  faults: [
    spec({ leaseDurationSeconds: 0 }),
    spec({ leaseTransitions: -1 }),
    spec({ leaseDurationSeconds: '15' }),
    spec({ renewTime: 'now' }),
    spec({ holderIdentity: '' }),
    spec({ other: 1 }),
  ],
};

const involvedObject = { kind: 'Pod', namespace: '<ns>', name: 'a', apiVersion: 'v1' };

const events: KindUnderTest = {
  resource: core('events'),
  kind: 'Event',
  namespaced: true,
  weight: 2,
  base: { involvedObject, reason: 'Started', message: 'it started', type: 'Normal', source: { component: 'diff' } },
  variants: [
    { count: 2 },
    { message: 'again', count: 3 },
    { type: 'Warning' },
    { firstTimestamp: '2024-01-01T00:00:00Z', lastTimestamp: '2024-01-01T00:00:05Z' },
    { reportingComponent: 'example.com/diff', reportingInstance: 'diff-1' },
    { series: { count: 2, lastObservedTime: '2024-01-01T00:00:00.000000Z' } },
    {
      eventTime: '2024-01-01T00:00:00.000000Z',
      action: 'Do',
      reportingComponent: 'example.com/d',
      reportingInstance: 'd',
    },
  ],
  faults: [
    { involvedObject: { kind: 'Pod', namespace: 'elsewhere', name: 'a' } },
    { involvedObject: null },
    { eventTime: '2024-01-01T00:00:00.000000Z' },
    { count: 'two' },
    { type: 'Strange' },
    { other: 1 },
  ],
  fieldSelectors: ['type=Normal', 'reason=Started', 'involvedObject.name=a', 'involvedObject.kind=Node'],
};

const quotas: KindUnderTest = {
  resource: core('resourcequotas'),
  kind: 'ResourceQuota',
  namespaced: true,
  weight: 2,
  base: { spec: { hard: { 'count/widgets.other.example.com': '3' } } },
  variants: [
    spec({ hard: { 'requests.cpu': '1000m' } }),
    spec({ hard: { pods: '100', 'limits.memory': '2Gi' } }),
    spec({ scopes: ['BestEffort'], hard: null }),
    spec({ hard: { 'count/things.example.com': '1k' } }),
  ],
  faults: [
    spec({ hard: { pods: '-1' } }),
    spec({ hard: { pods: '1.5' } }),
    spec({ hard: { pods: 'many' } }),
    spec({ hard: { 'bad name!': '1' } }),
    spec({ scopes: ['Other'] }),
    spec({ scopes: ['Terminating', 'NotTerminating'] }),
    spec({ other: 1 }),
  ],
  statuses: [
    { hard: { pods: '100' }, used: { pods: '1' } },
    { used: { pods: '2' } },
    { used: { pods: '-2' } },
    { used: { pods: 'x' } },
  ],
};

const controllerRevisions: KindUnderTest = {
  resource: { group: 'apps', version: 'v1', plural: 'controllerrevisions' },
  kind: 'ControllerRevision',
  namespaced: true,
  weight: 2,
  base: { revision: 1, data: { spec: { a: 1 } } },
  variants: [
    { revision: 2 },
    { revision: 0 },
    { data: { spec: { b: { c: [1] } } } },
    { data: { spec: { a: null } } },
    { data: { kind: 'X', apiVersion: 'v1' } },
  ],
  faults: [{ revision: -1 }, { data: null }, { data: 'text' }, { data: ['list'] }, { revision: '1' }, { other: 1 }],
};

const namespaces: KindUnderTest = {
  resource: core('namespaces'),
  kind: 'Namespace',
  namespaced: false,
  weight: 2,
  base: {},
  variants: [spec({}), spec({ finalizers: ['example.com/own'] }), spec({ finalizers: ['kubernetes'] })],
  faults: [spec({ finalizers: ['unqualified'] }), spec({ finalizers: 'kubernetes' }), spec({ other: 1 })],
  statuses: [{ phase: 'Active' }, { phase: 'Terminating' }, { phase: 'Other' }],
  fieldSelectors: ['status.phase=Active', 'status.phase=Terminating'],
};

/** Kinds of the core and of small groups. */
export const coreKinds: readonly KindUnderTest[] = [
  configMaps,
  secrets,
  services,
  leases,
  events,
  quotas,
  controllerRevisions,
  namespaces,
];
