import type { JsonObject } from '#lib/kind/json.ts';
import type { Case, Change } from '../case.ts';

const web: JsonObject = { name: 'web', image: 'nginx' };

/** A pod of one container with these members of the spec. */
const pod = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  metadata: { name: 'p', ...metadata },
  spec: { containers: [web], ...spec },
});

/** A pod whose container has these members. */
const container = (members: JsonObject): JsonObject => pod({ containers: [{ ...web, ...members }] });

const podCase = (name: string, object: JsonObject, changes: readonly Change[] = []): Case => ({
  name: `pod: ${name}`,
  kind: 'Pod',
  object,
  changes,
});

const resources = (limits: JsonObject, requests?: JsonObject): JsonObject =>
  container({ resources: { limits, ...(requests && { requests }) } });

const status = (merge: JsonObject): Change => ({ subresource: 'status', merge: { status: merge } });

const spec = (merge: JsonObject): Change => ({ merge: { spec: merge } });

const probe = { httpGet: { port: 8080 } };

const volumes = [
  { name: 'none' },
  { name: 'cm', configMap: { name: 'c', items: [{ key: 'a', path: 'b' }] } },
  { name: 'secret', secret: { secretName: 's', optional: false } },
  { name: 'empty', emptyDir: { medium: 'Memory', sizeLimit: '1024Mi' } },
  { name: 'host', hostPath: { path: '/var' } },
  { name: 'down', downwardAPI: { items: [{ path: 'a', fieldRef: { fieldPath: 'metadata.labels' } }] } },
  { name: 'claim', persistentVolumeClaim: { claimName: 'c' } },
  {
    name: 'all',
    projected: {
      sources: [
        { secret: { name: 's' } },
        { configMap: { name: 'c', items: [{ key: 'k', path: 'p', mode: 256 }] } },
        { serviceAccountToken: { path: 'token' } },
        {
          downwardAPI: {
            items: [{ path: 'q', resourceFieldRef: { containerName: 'web', resource: 'limits.cpu' } }],
          },
        },
      ],
    },
  },
];

const fullContainer = {
  command: ['a'],
  args: [],
  workingDir: '/x',
  ports: [{ containerPort: 80 }, { name: 'dns', containerPort: 53, protocol: 'UDP', hostPort: 5353, hostIP: '' }],
  env: [
    { name: 'A', value: '' },
    { name: 'B', value: 'b' },
    { name: 'C', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    { name: 'D', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
    { name: 'E', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
    { name: 'F', valueFrom: { configMapKeyRef: { name: 'c', key: 'k', optional: true } } },
  ],
  envFrom: [{ prefix: 'X_', configMapRef: { name: 'c' } }, { secretRef: { name: 's' } }],
  livenessProbe: { ...probe, initialDelaySeconds: 0, periodSeconds: 5 },
  readinessProbe: { tcpSocket: { port: 'http' }, successThreshold: 2 },
  startupProbe: { grpc: { port: 90 } },
  lifecycle: { preStop: { httpGet: { port: 80, path: '/x' } }, postStart: { exec: { command: ['a'] } } },
  volumeMounts: [{ name: 'empty', mountPath: '/e', subPath: 'a' }],
  securityContext: { runAsUser: 0, readOnlyRootFilesystem: false, capabilities: { drop: ['ALL'] } },
  stdin: false,
  tty: true,
};

/** Pods that are accepted, with what the server makes of them. */
export const acceptedPods: readonly Case[] = [
  podCase('the smallest one', pod()),
  podCase('without a token', pod({ automountServiceAccountToken: false })),
  podCase('image with tag and registry', container({ image: 'r.example.com:5000/a/b:1.2' })),
  podCase('image with digest', container({ image: `a@sha256:${'0'.repeat(64)}` })),
  podCase('image with the tag latest', container({ image: 'a:latest' })),
  podCase('image of a registry with a port', container({ image: 'localhost:5000/a' })),
  podCase('everything a container has', pod({ containers: [{ ...web, ...fullContainer }], volumes })),
  podCase('guaranteed', resources({ cpu: '1000m', memory: '1Gi' })),
  podCase('burstable, requests filled in from limits', resources({ cpu: 2, memory: '1024Ki' }, { cpu: '0.5' })),
  podCase('odd quantities', resources({ cpu: '1.500', memory: '1e3', 'ephemeral-storage': '0.5Gi' })),
  podCase('more odd quantities', resources({ cpu: '100u', memory: '1536Mi', 'ephemeral-storage': '010M' })),
  podCase('quantities as numbers', resources({ cpu: 1.5, memory: 1_000_000, 'example.com/gpu': 2 })),
  podCase('an empty list of resources', resources({})),
  podCase(
    'init containers and a sidecar',
    pod({
      initContainers: [
        { name: 'i', image: 'i:1', resources: { limits: { cpu: 1 } } },
        { name: 's', image: 's:1', restartPolicy: 'Always', readinessProbe: probe },
      ],
    }),
  ),
  podCase('nulls and empty members', {
    metadata: { name: 'p', labels: {}, annotations: null, creationTimestamp: null, finalizers: [] },
    spec: {
      containers: [{ ...web, args: [null], env: null, ports: [], resources: null, volumeMounts: [], stdin: null }],
      nodeSelector: {},
      hostname: '',
      volumes: null,
      affinity: {},
      priority: null,
    },
    status: null,
  }),
  podCase('a status is ignored', { ...pod(), status: { phase: 'Running', podIP: '1.2.3.4' } }),
  podCase(
    'metadata',
    pod(
      {},
      {
        labels: { a: 'b', 'example.com/c': '' },
        annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-5', A: 'x' },
        finalizers: ['example.com/f'],
        generateName: 'p-',
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'c', uid: 'u', controller: false }],
      },
    ),
  ),
  podCase(
    'tolerations of its own',
    pod({
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', tolerationSeconds: 0, effect: 'NoExecute' },
      ],
    }),
  ),
  podCase('tolerates everything', pod({ tolerations: [{ operator: 'Exists' }] })),
  podCase(
    'host network',
    pod({
      hostNetwork: true,
      hostPID: true,
      shareProcessNamespace: false,
      containers: [{ ...web, ports: [{ containerPort: 80 }] }],
    }),
  ),
  podCase(
    'scheduled, with affinity and spread',
    pod({
      nodeName: 'n',
      nodeSelector: { a: 'b' },
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] }],
          },
        },
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, podAffinityTerm: { topologyKey: 'z', labelSelector: { matchLabels: { a: 'b' } } } },
          ],
        },
      },
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', minDomains: 2 },
      ],
    }),
  ),
  podCase('waiting for gates', pod({ schedulingGates: [{ name: 'example.com/g' }] })),
  podCase(
    'dns and host aliases',
    pod({
      dnsPolicy: 'None',
      dnsConfig: {
        nameservers: ['1.1.1.1'],
        searches: ['a.b.', '_x.y', '.'],
        options: [{ name: 'ndots', value: '2' }],
      },
      hostAliases: [{ ip: '127.0.0.1', hostnames: ['a.b'] }],
      hostname: 'h',
      subdomain: 's',
      setHostnameAsFQDN: false,
    }),
  ),
  podCase(
    'security',
    pod({
      securityContext: {
        runAsUser: 1,
        fsGroup: 0,
        supplementalGroups: [1],
        seccompProfile: { type: 'RuntimeDefault' },
        fsGroupChangePolicy: 'Always',
      },
      terminationGracePeriodSeconds: 0,
      activeDeadlineSeconds: 5,
      restartPolicy: 'Never',
      imagePullSecrets: [{ name: 's' }, {}],
      readinessGates: [{ conditionType: 'example.com/ready' }],
      enableServiceLinks: false,
      priorityClassName: 'system-node-critical',
    }),
  ),
  podCase('a negative grace period', pod({ terminationGracePeriodSeconds: -5 })),
  podCase(
    'empty projections',
    pod({
      volumes: [
        { name: 'a', projected: { sources: [] } },
        { name: 'b', projected: {} },
      ],
    }),
  ),
  podCase('image that is none', container({ image: 'A/b:c' })),
  podCase('image of a domain', container({ image: 'A.b/c' })),
  podCase('image that is no domain', container({ image: 'Nginx/c' })),
  podCase('the older name of a service account', pod({ serviceAccount: 'default' })),
  podCase('a container that restarts otherwise', container({ restartPolicy: 'OnFailure' })),
];

/** Pods that are refused. */
export const refusedPods: readonly Case[] = [
  podCase('no containers', pod({ containers: [] })),
  podCase('no spec', { metadata: { name: 'p' } }),
  podCase('no name and no image', pod({ containers: [{}] })),
  podCase(
    'wrong names',
    pod(
      {
        containers: [
          { ...web, name: 'A_b' },
          { ...web, name: 'a.b' },
        ],
        hostname: 'X',
      },
      { name: 'P' },
    ),
  ),
  podCase('the same name twice', pod({ containers: [web, web], initContainers: [web] })),
  podCase(
    'wrong ports',
    container({
      ports: [
        { containerPort: 0 },
        { containerPort: 70_000, name: 'a--b' },
        { containerPort: 1, name: 'x', protocol: 'tcp', hostPort: 80 },
        { containerPort: 2, name: 'x', hostPort: 80 },
        { containerPort: 3, hostPort: 80 },
      ],
    }),
  ),
  podCase(
    'wrong environment',
    container({
      env: [
        { name: '' },
        { name: 'a=b' },
        { name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        { name: 'B', valueFrom: {} },
        { name: 'C', valueFrom: { fieldRef: { fieldPath: 'spec.containers' } } },
        { name: 'D', valueFrom: { fieldRef: { fieldPath: 'status.phase' } } },
        { name: 'E', valueFrom: { fieldRef: { fieldPath: "metadata.labels['a b']" } } },
        { name: 'F', valueFrom: { resourceFieldRef: { resource: 'limits.x', divisor: '3' } } },
        { name: 'G', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '3' } } },
        { name: 'H', valueFrom: { secretKeyRef: { name: '', key: '' } } },
      ],
      envFrom: [{}, { configMapRef: { name: '' } }, { prefix: 'a=', secretRef: { name: 'A' } }],
    }),
  ),
  podCase(
    'wrong volumes and mounts',
    pod({
      volumes: [
        { name: 'a', emptyDir: {}, hostPath: { path: '/' } },
        { name: 'B_', configMap: {} },
        { name: 'c', secret: { secretName: 's', defaultMode: 1000, items: [{ key: '', path: '../x' }] } },
        { name: 'd', hostPath: { path: '/../x', type: 'X' } },
        { name: 'e', emptyDir: {} },
        { name: 'e', emptyDir: {} },
        { name: '', projected: { sources: [{ secret: {}, configMap: { name: 'c' } }] } },
        { name: 'f', downwardAPI: { items: [{ path: '..x' }] } },
      ],
      containers: [
        {
          ...web,
          volumeMounts: [
            { name: 'e', mountPath: '/x', subPath: '/abs' },
            { name: 'e', mountPath: '/x', mountPropagation: 'Bidirectional' },
            { name: 'missing', mountPath: '' },
          ],
        },
      ],
    }),
  ),
  podCase(
    'wrong probes',
    container({
      livenessProbe: { ...probe, successThreshold: 2, timeoutSeconds: -1 },
      readinessProbe: { exec: { command: ['a'] }, tcpSocket: { port: 1 }, terminationGracePeriodSeconds: 1 },
      startupProbe: {},
      lifecycle: {
        preStop: { sleep: { seconds: 100 } },
        postStart: { httpGet: { port: '', scheme: 'x', httpHeaders: [{ name: 'a b' }] } },
      },
    }),
  ),
  podCase(
    'wrong resources',
    resources({ cpu: '1', memory: '-1', x: '1', 'example.com/gpu': '1500m' }, { cpu: '2', 'a.b/c': '1' }),
  ),
  podCase(
    'wrong policies',
    pod({
      restartPolicy: 'X',
      dnsPolicy: 'Y',
      preemptionPolicy: 'PreemptLowerPriority',
      containers: [{ ...web, imagePullPolicy: 'Z', terminationMessagePolicy: 'W', restartPolicy: 'V' }],
    }),
  ),
  podCase(
    'wrong security',
    pod({
      securityContext: {
        runAsUser: -1,
        fsGroupChangePolicy: 'X',
        seccompProfile: { type: 'Localhost' },
        supplementalGroups: [-1],
      },
      hostPID: true,
      shareProcessNamespace: true,
      activeDeadlineSeconds: 0,
    }),
  ),
  podCase(
    'a privileged container that may not escalate',
    container({
      securityContext: { privileged: true, allowPrivilegeEscalation: false },
    }),
  ),
  podCase(
    'a profile for another type',
    container({ securityContext: { seccompProfile: { type: 'Unconfined', localhostProfile: 'x' } } }),
  ),
  podCase(
    'wrong scheduling',
    pod({
      nodeName: 'N',
      nodeSelector: { 'a b': 'c d' },
      schedulingGates: [{ name: 'g' }, { name: 'g' }],
      tolerations: [
        { operator: 'Equal', value: 'a' },
        { key: 'a', operator: 'Exists', value: 'x' },
        { key: 'b', effect: 'X', tolerationSeconds: 1 },
      ],
      topologySpreadConstraints: [{ maxSkew: 0, whenUnsatisfiable: 'X', minDomains: 0, nodeTaintsPolicy: 'Y' }],
      affinity: {
        nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } },
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { namespaces: ['A'], labelSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
          ],
        },
      },
    }),
  ),
  podCase(
    'more wrong affinity',
    pod({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              {
                matchExpressions: [
                  { key: 'a', operator: 'In' },
                  { key: 'b', operator: 'Gt', values: [] },
                  { key: 'c', operator: 'x' },
                ],
              },
              {
                matchFields: [
                  { key: 'metadata.name', operator: 'In', values: ['a', 'b'] },
                  { key: 'x', operator: 'Gt' },
                ],
              },
            ],
          },
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 0, preference: {} }],
        },
      },
    }),
  ),
  podCase('wrong dns', pod({ dnsPolicy: 'None' })),
  podCase(
    'wrong addresses',
    pod({
      dnsConfig: { nameservers: ['x', '1.1.1.01', '::ffff:1.2.3.4', '::1'], searches: ['A'], options: [{}] },
      hostAliases: [{ ip: 'a', hostnames: ['B'] }],
    }),
  ),
  podCase(
    'wrong metadata',
    pod(
      {},
      {
        labels: { 'a b': 'x', c: '-' },
        annotations: { 'a/b/c': '', 'controller.kubernetes.io/pod-deletion-cost': '01' },
        finalizers: ['x', 'a b'],
        ownerReferences: [
          { apiVersion: '', kind: '', name: '', uid: '' },
          { apiVersion: 'v1', kind: 'A', name: 'a', uid: 'u', controller: true },
          { apiVersion: 'v1', kind: 'B', name: 'b', uid: 'v', controller: true },
        ],
      },
    ),
  ),
  podCase('an unknown service account', pod({ serviceAccountName: 'x' })),
  podCase('a priority of its own', pod({ priority: 5 })),
  podCase('a preemption policy of its own', pod({ preemptionPolicy: 'Never' })),
  podCase('spaces around an image', container({ image: ' a ' })),
  podCase(
    'an init container with probes',
    pod({ initContainers: [{ name: 'i', image: 'i', livenessProbe: probe, lifecycle: {} }] }),
  ),
  podCase(
    'host ports beside the host network',
    pod({ hostNetwork: true, containers: [{ ...web, ports: [{ containerPort: 1, hostPort: 2 }] }] }),
  ),
  podCase('a wrong type', pod({ containers: 'x' })),
  podCase('a wrong type deep inside', container({ ports: [{ containerPort: '80' }] })),
  podCase('a fraction', pod({ terminationGracePeriodSeconds: 1.5 })),
  podCase('a number that is too large', container({ ports: [{ containerPort: 3_000_000_000 }] })),
  podCase('text for a flag', pod({ hostNetwork: 'yes' })),
  podCase('a list for a map', pod({ nodeSelector: [] })),
  podCase('a wrong quantity', resources({ cpu: '1x' })),
  podCase('a number among labels', pod({}, { labels: { a: 1 } })),
  { ...podCase('unknown fields', { ...pod({ foo: 1, containers: [{ ...web, bar: {} }] }), x: 1 }), isStrict: true },
];

/** Changes of pods. */
export const changedPods: readonly Case[] = [
  podCase('changes that are allowed', pod({ terminationGracePeriodSeconds: 1 }), [
    spec({ containers: [{ ...web, image: 'nginx:2' }] }),
    { merge: { metadata: { labels: { a: 'b' } } } },
    spec({ activeDeadlineSeconds: 10 }),
    spec({ activeDeadlineSeconds: 5 }),
    spec({ activeDeadlineSeconds: 6 }),
    spec({ tolerations: [] }),
  ]),
  podCase('changes of a whole container', pod({ automountServiceAccountToken: false }), [
    spec({
      containers: [
        {
          ...web,
          image: 'nginx:2',
          imagePullPolicy: 'Always',
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          resources: {},
        },
      ],
    }),
    spec({ containers: [web, { name: 'b', image: 'b' }] }),
    spec({ containers: [{ ...web, image: '' }] }),
    spec({ activeDeadlineSeconds: -1 }),
    { merge: { metadata: { resourceVersion: '' }, spec: { nodeName: 'n' } } },
    { merge: { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'A', name: 'a', uid: 'u' }] } } },
  ]),
  podCase('gates are only taken away', pod({ schedulingGates: [{ name: 'a' }, { name: 'b' }] }), [
    spec({ schedulingGates: [{ name: 'a' }, { name: 'c' }] }),
    spec({ schedulingGates: [{ name: 'b' }] }),
  ]),
  podCase('status', pod({ nodeName: 'n', restartPolicy: 'OnFailure' }), [
    status({
      phase: 'Running',
      podIP: '10.1.0.1',
      hostIP: '10.2.0.1',
      hostIPs: [{ ip: '10.2.0.1' }],
      startTime: '2026-01-01T01:00:00+01:00',
      observedGeneration: 1,
      conditions: [
        { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z', observedGeneration: 1 },
      ],
      containerStatuses: [
        {
          name: 'web',
          state: { terminated: { exitCode: 0 } },
          ready: true,
          restartCount: 0,
          image: 'nginx',
          imageID: '',
          started: false,
        },
      ],
    }),
    status({ observedGeneration: 0, conditions: [{ type: 'Ready', status: 'False' }] }),
    status({ containerStatuses: [{ name: 'web', state: { running: {} } }] }),
    status({ qosClass: 'Guaranteed' }),
    status({ qosClass: null, podIPs: [{ ip: 'x' }, { ip: '1.2.3.4' }], podIP: 'x' }),
    status({ podIP: null, podIPs: [{ ip: '1.2.3.4' }, { ip: '1.2.3.5' }] }),
    status({ podIP: '1.2.3.6' }),
    status({ conditions: [{ type: 'a b', status: 'X', observedGeneration: -1 }] }),
    status({ nominatedNodeName: 'X' }),
    status({ hostIP: '1.1.1.1' }),
    { subresource: 'status', merge: { spec: { nodeName: 'other' }, metadata: { labels: { a: 'b' } } } },
  ]),
];
