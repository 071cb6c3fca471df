import type { Case } from '../case.ts';
import { container, pod, podCase, probe, resources, web } from './pod.ts';

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

/** Accepted pods, with the defaults that the server adds. */
export const acceptedPods: readonly Case[] = [
  podCase('the smallest one', pod()),
  podCase('without a token', pod({ automountServiceAccountToken: false })),
  podCase('image with tag and registry', container({ image: 'r.example.com:5000/a/b:1.2' })),
  podCase('image with digest', container({ image: `a@sha256:${'0'.repeat(64)}` })),
  podCase('image with the tag latest', container({ image: 'a:latest' })),
  podCase('image of a registry with a port', container({ image: 'localhost:5000/a' })),
  podCase('everything a container has', pod({ containers: [{ ...web, ...fullContainer }], volumes })),
  podCase(
    'propagated mounts',
    pod({
      volumes: [{ name: 'host', hostPath: { path: '/var' } }],
      containers: [
        { ...web, volumeMounts: [{ name: 'host', mountPath: '/a', mountPropagation: 'HostToContainer' }] },
        {
          name: 'privileged',
          image: 'a',
          securityContext: { privileged: true },
          volumeMounts: [
            { name: 'host', mountPath: '/a', mountPropagation: 'Bidirectional' },
            { name: 'host', mountPath: '/b', mountPropagation: 'None' },
          ],
        },
      ],
    }),
  ),
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
