import type { Case } from '../case.ts';
import { container, pod, podCase, probe, resources, web } from './pod.ts';

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
  podCase('a wrong type after a container', pod({ containers: [web, 'x'] })),
  podCase('a wrong type deep inside', container({ ports: [{ containerPort: '80' }] })),
  podCase('a fraction', pod({ terminationGracePeriodSeconds: 1.5 })),
  podCase('a number that is too large', container({ ports: [{ containerPort: 3_000_000_000 }] })),
  podCase('text for a flag', pod({ hostNetwork: 'yes' })),
  podCase('a list for a map', pod({ nodeSelector: [] })),
  podCase('a wrong quantity', resources({ cpu: '1x' })),
  podCase('a number among labels', pod({}, { labels: { a: 1 } })),
  { ...podCase('unknown fields', { ...pod({ foo: 1, containers: [{ ...web, bar: {} }] }), x: 1 }), isStrict: true },
];
