import type { JsonObject } from '#lib/json.ts';
import type { KindUnderTest } from './kind-under-test.ts';

const container = (name: string, more: object = {}): object => ({ name, image: `${name}:1`, ...more });

const spec = (members: object): JsonObject => ({ spec: members });

/** A spec without the token of a ServiceAccount, for which the server would add a volume with a random name. */
const podSpec = (containers: readonly object[], more: object = {}): object => ({
  automountServiceAccountToken: false,
  containers,
  ...more,
});

const resources = { limits: { cpu: '500m', memory: '1Gi' }, requests: { cpu: '0.25' } };

const probe = { httpGet: { path: '/', port: 80 }, periodSeconds: 5 };

const containerLists: readonly (readonly object[])[] = [
  [container('a')],
  [container('a', { image: 'a:2' })],
  [container('a'), container('b')],
  [
    container('a', {
      env: [
        { name: 'X', value: '1' },
        { name: 'Y', value: '2' },
      ],
    }),
  ],
  [container('a', { env: [{ name: 'X', valueFrom: { configMapKeyRef: { name: 'a', key: 'k' } } }] })],
  [container('a', { ports: [{ containerPort: 80 }, { containerPort: 53, protocol: 'UDP', name: 'dns' }] })],
  [container('a', { resources })],
  [container('a', { readinessProbe: probe, livenessProbe: { exec: { command: ['true'] } } })],
  [container('a', { args: ['-v'], command: ['run'], imagePullPolicy: 'Always' })],
  [container('a', { volumeMounts: [{ name: 'config', mountPath: '/config' }] })],
  [container('a', { securityContext: { runAsNonRoot: true, allowPrivilegeEscalation: false } })],
];

const badContainerLists: readonly unknown[] = [
  [],
  null,
  'text',
  [{ image: 'x' }],
  [{ name: 'a' }],
  [container('Bad_Name')],
  [container('a'), container('a')],
  [container('a', { imagePullPolicy: 'Sometimes' })],
  [container('a', { ports: [{ containerPort: 0 }] })],
  [
    container('a', {
      ports: [
        { containerPort: 80, name: 'x' },
        { containerPort: 81, name: 'x' },
      ],
    }),
  ],
  [container('a', { env: [{ name: '', value: '1' }] })],
  [container('a', { resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } })],
  [container('a', { resources: { requests: { cpu: 'lots' } } })],
  [container('a', { volumeMounts: [{ name: 'missing', mountPath: '/x' }] })],
  [container('a', { readinessProbe: { periodSeconds: 3 } })],
  [container('a', { unknown: 1 })],
];

const podOptions: readonly object[] = [
  { restartPolicy: 'Never' },
  { terminationGracePeriodSeconds: 5 },
  { nodeName: 'node-1' },
  { nodeSelector: { disk: 'ssd' } },
  { activeDeadlineSeconds: 60 },
  { initContainers: [container('init')] },
  {
    volumes: [
      { name: 'config', configMap: { name: 'a' } },
      { name: 'tmp', emptyDir: {} },
    ],
  },
  { tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 10 }] },
  { securityContext: { runAsUser: 1000 } },
  { hostname: 'host', subdomain: 'sub' },
  { schedulingGates: [{ name: 'example.com/gate' }] },
  { readinessGates: [{ conditionType: 'example.com/ready' }] },
];

const badPodOptions: readonly object[] = [
  { restartPolicy: 'Maybe' },
  { terminationGracePeriodSeconds: -1 },
  { nodeSelector: { 'bad key!': 'x' } },
  { activeDeadlineSeconds: 0 },
  { hostname: 'Bad_Host' },
  { volumes: [{ name: 'x' }, { name: 'x', emptyDir: {} }] },
  { volumes: [{ name: 'two', emptyDir: {}, configMap: { name: 'a' } }] },
  { dnsPolicy: 'Other' },
  { tolerations: [{ operator: 'Equals' }] },
  { other: 1 },
];

const pods: KindUnderTest = {
  resource: { group: '', version: 'v1', plural: 'pods' },
  kind: 'Pod',
  namespaced: true,
  weight: 5,
  base: { spec: podSpec([container('a')]) },
  variants: [...containerLists.map((containers) => spec({ containers })), ...podOptions.map(spec)],
  faults: [...badContainerLists.map((containers) => spec({ containers })), ...badPodOptions.map(spec), { other: 1 }],
  statuses: [
    { phase: 'Running' },
    { phase: 'Succeeded' },
    { conditions: [{ type: 'Ready', status: 'True' }] },
    {
      conditions: [
        { type: 'Ready', status: 'False', reason: 'Why' },
        { type: 'Initialized', status: 'True' },
      ],
    },
    { podIP: '10.1.1.1', podIPs: [{ ip: '10.1.1.1' }] },
    { phase: 'Dancing' },
    { conditions: [{ type: 'Ready', status: 'Perhaps' }] },
    { other: 1 },
  ],
  fieldSelectors: [
    'status.phase=Pending',
    'status.phase!=Pending',
    'spec.nodeName=node-1',
    'spec.nodeName=',
    'spec.image=x',
  ],
};

const template = (labels: object, podMembers: object): object => ({ metadata: { labels }, spec: podMembers });

const workloadBase = {
  spec: {
    selector: { matchLabels: { app: 'a' } },
    template: template({ app: 'a' }, podSpec([container('a')])),
  },
};

const templateSpec = (members: object): JsonObject => spec({ template: { spec: members } });

const workloadVariants = [
  ...[0, 1, 3].map((replicas) => spec({ replicas })),
  spec({ minReadySeconds: 5 }),
  spec({ template: { metadata: { labels: { more: 'x' }, annotations: { note: 'n' } } } }),
  ...containerLists.map((containers) => templateSpec({ containers })),
  templateSpec({ terminationGracePeriodSeconds: 5 }),
  templateSpec({ volumes: [{ name: 'config', configMap: { name: 'a' } }] }),
];

const workloadFaults = [
  spec({ replicas: -1 }),
  spec({ replicas: 'three' }),
  spec({ minReadySeconds: -1 }),
  spec({ selector: { matchLabels: { app: 'b' } } }),
  spec({ selector: null }),
  spec({ selector: { matchLabels: null } }),
  spec({ selector: { matchExpressions: [{ key: 'app', operator: 'Like' }] } }),
  spec({ template: null }),
  spec({ template: { metadata: { labels: null } } }),
  ...badContainerLists.map((containers) => templateSpec({ containers })),
  templateSpec({ restartPolicy: 'Never' }),
  spec({ other: 1 }),
];

const counts = [
  { replicas: 1, observedGeneration: 1 },
  { replicas: 3, readyReplicas: 2, availableReplicas: 1 },
  { replicas: 1, readyReplicas: 2 },
  { replicas: -1 },
  { conditions: [{ type: 'Available', status: 'True', reason: 'R', message: 'M' }] },
  { other: 1 },
];

const deployments: KindUnderTest = {
  resource: { group: 'apps', version: 'v1', plural: 'deployments' },
  kind: 'Deployment',
  namespaced: true,
  weight: 4,
  base: workloadBase,
  variants: [
    ...workloadVariants,
    spec({ strategy: { type: 'Recreate' } }),
    spec({ strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }),
    spec({ strategy: { rollingUpdate: { maxUnavailable: '50%' } } }),
    spec({ paused: true }),
    spec({ revisionHistoryLimit: 2, progressDeadlineSeconds: 60 }),
  ],
  faults: [
    ...workloadFaults,
    spec({ strategy: { type: 'Other' } }),
    spec({ strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } }),
    spec({ strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
    spec({ progressDeadlineSeconds: 0, minReadySeconds: 5 }),
    spec({ revisionHistoryLimit: -1 }),
  ],
  statuses: [...counts, { updatedReplicas: 2, replicas: 2 }, { collisionCount: 1 }],
  hasScale: true,
};

const replicaSets: KindUnderTest = {
  resource: { group: 'apps', version: 'v1', plural: 'replicasets' },
  kind: 'ReplicaSet',
  namespaced: true,
  weight: 3,
  base: workloadBase,
  variants: workloadVariants,
  faults: workloadFaults,
  statuses: [...counts, { fullyLabeledReplicas: 1, replicas: 1 }],
  hasScale: true,
  fieldSelectors: ['status.replicas=0'],
};

/** Pods, and kinds that create pods. */
export const workloads: readonly KindUnderTest[] = [pods, deployments, replicaSets];
