import { k8s } from 'cdk8s-plus-27';
import type { Construct } from 'constructs';
import type { ConversionWorkload } from './conversion.ts';
import { type OperatorNames, operatorLabels, operatorSelector } from './names.ts';
import { CONVERSION_PORT, HEALTH_PORT, METRICS_PORT } from './ports.ts';

/** The `nonroot` user of distroless images; any number but 0 satisfies Pod Security. */
const USER_ID = 65_532;
/** The process ends within half a minute of SIGTERM, whatever hangs; see `lib/runtime/closers.ts`. */
const TERMINATION_GRACE_SECONDS = 40;
/** As kubelets mint it for automounted tokens: a day's work for a thief is an hour here. */
const TOKEN_SECONDS = 3600;

/**
 * With the version that the API server would set: a reference to a field is compared as a whole, so without it a server-side apply
 * after a client-side one meets a conflict with itself.
 */
const fieldRef = (fieldPath: string): k8s.ObjectFieldSelector => ({ apiVersion: 'v1', fieldPath });

const fromField = (name: string, fieldPath: string): k8s.EnvVar => ({
  name,
  valueFrom: { fieldRef: fieldRef(fieldPath) },
});

const probe = (path: string, periodSeconds: number): k8s.Probe => ({
  httpGet: { path, port: k8s.IntOrString.fromString('health') },
  periodSeconds,
  timeoutSeconds: 2,
});

/** What the pods run, and where they work; all namespaces unless told which. */
export interface Workload {
  readonly image: string;
  readonly namespaces: readonly string[] | undefined;
  /** Where HTTP effects may go; nowhere unless told. */
  readonly effectHosts: readonly string[] | undefined;
  /** Where metrics without a server of their own go. */
  readonly prometheusUrl: string | undefined;
  /** The conversion webhook, when there is one. */
  readonly conversion: ConversionWorkload | undefined;
  /** What a container may use, in MiB. */
  readonly memoryMiB: number;
}

/** Where the certificate of somebody else is mounted, without the key of its authority. */
const CERTIFICATE_DIR = '/var/run/secrets/conversion';

const conversionEnv = (conversion: ConversionWorkload | undefined): k8s.EnvVar[] =>
  conversion === undefined
    ? []
    : [
        { name: 'CONVERSION_SERVICE', value: conversion.service },
        { name: 'CONVERSION_PORT', value: String(CONVERSION_PORT) },
        ...(conversion.isMounted ? [{ name: 'CONVERSION_CERTIFICATE_DIR', value: CERTIFICATE_DIR }] : []),
      ];

const conversionVolume = (conversion: ConversionWorkload | undefined): k8s.Volume[] => {
  if (!conversion?.isMounted) return [];
  const items = ['tls.crt', 'tls.key'].map((key) => ({ key, path: key }));
  return [{ name: 'conversion', secret: { secretName: conversion.service, items } }];
};

/** Of what the container may use; the rest is for code, buffers, threads and stacks. */
const HEAP_SHARE = 0.7;

/**
 * Of each half of V8's young generation, which comes on top of the heap, in three times this size: its default of 16 MiB lets
 * garbage pile up that is a third of the limit.
 */
const SEMI_SPACE_MIB = 4;

/**
 * Nothing is written but logs, of which kubelets keep 50 MiB by default and clusters several times as much.
 *
 * @see https://kubernetes.io/docs/concepts/cluster-administration/logging/#log-rotation
 */
const LOG_STORAGE = '512Mi';

const nodeOptions = (memoryMiB: number): string =>
  `--max-old-space-size=${Math.floor(memoryMiB * HEAP_SHARE)} --max-semi-space-size=${SEMI_SPACE_MIB}`;

const container = (
  names: OperatorNames,
  { image, namespaces, effectHosts, prometheusUrl, conversion, memoryMiB }: Workload,
): k8s.Container => ({
  name: 'operator',
  image,
  env: [
    fromField('POD_NAME', 'metadata.name'),
    fromField('POD_NAMESPACE', 'metadata.namespace'),
    { name: 'LEASE_NAME', value: names.name },
    { name: 'HEALTH_PORT', value: String(HEALTH_PORT) },
    { name: 'METRICS_PORT', value: String(METRICS_PORT) },
    // V8 sizes its heap by the memory of the node: it would be killed before it thinks of collecting garbage.
    { name: 'NODE_OPTIONS', value: nodeOptions(memoryMiB) },
    ...(namespaces === undefined ? [] : [{ name: 'WATCH_NAMESPACE', value: namespaces.join(',') }]),
    ...(effectHosts === undefined ? [] : [{ name: 'EFFECT_HOSTS', value: effectHosts.join(',') }]),
    ...(prometheusUrl === undefined ? [] : [{ name: 'PROMETHEUS_URL', value: prometheusUrl }]),
    ...conversionEnv(conversion),
  ],
  ports: [
    { name: 'health', containerPort: HEALTH_PORT, protocol: 'TCP' },
    { name: 'metrics', containerPort: METRICS_PORT, protocol: 'TCP' },
    ...(conversion ? [{ name: 'conversion', containerPort: CONVERSION_PORT, protocol: 'TCP' }] : []),
  ],
  livenessProbe: { ...probe('/healthz', 10), failureThreshold: 6 },
  readinessProbe: probe('/readyz', 5),
  resources: {
    requests: {
      cpu: k8s.Quantity.fromString('10m'),
      memory: k8s.Quantity.fromString(`${Math.ceil(memoryMiB / 2)}Mi`),
      'ephemeral-storage': k8s.Quantity.fromString(LOG_STORAGE),
    },
    limits: {
      memory: k8s.Quantity.fromString(`${memoryMiB}Mi`),
      'ephemeral-storage': k8s.Quantity.fromString(LOG_STORAGE),
    },
  },
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  },
  volumeMounts: [
    { name: 'api-access', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', readOnly: true },
    ...(conversion?.isMounted ? [{ name: 'conversion', mountPath: CERTIFICATE_DIR, readOnly: true }] : []),
  ],
});

/** What automounting would mount, spelled out, so that it is mounted here and nowhere else. */
const apiAccess: k8s.Volume = {
  name: 'api-access',
  projected: {
    sources: [
      { serviceAccountToken: { path: 'token', expirationSeconds: TOKEN_SECONDS } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      { downwardApi: { items: [{ path: 'namespace', fieldRef: fieldRef('metadata.namespace') }] } },
    ],
  },
};

const podSpec = (names: OperatorNames, workload: Workload): k8s.PodSpec => ({
  serviceAccountName: names.name,
  automountServiceAccountToken: false,
  enableServiceLinks: false,
  terminationGracePeriodSeconds: TERMINATION_GRACE_SECONDS,
  securityContext: {
    runAsNonRoot: true,
    runAsUser: USER_ID,
    runAsGroup: USER_ID,
    seccompProfile: { type: 'RuntimeDefault' },
  },
  containers: [container(names, workload)],
  volumes: [apiAccess, ...conversionVolume(workload.conversion)],
});

/** One works, the other is ready to take over within seconds. */
const REPLICAS = 2;

/** Two replicas on one node would both go with it. */
const spread = (names: OperatorNames): k8s.TopologySpreadConstraint => ({
  maxSkew: 1,
  topologyKey: 'kubernetes.io/hostname',
  whenUnsatisfiable: 'ScheduleAnyway',
  labelSelector: { matchLabels: operatorSelector(names) },
});

/**
 * The operator itself: one replica leads, the other stands by. A new version is rolled out one pod at a time, and the leader
 * gives its lease back when it is told to end.
 */
export const addDeployment = (scope: Construct, names: OperatorNames, workload: Workload): k8s.KubeDeployment => {
  const labels = operatorLabels(names);
  return new k8s.KubeDeployment(scope, 'deployment', {
    metadata: { name: names.name, namespace: names.namespace, labels },
    spec: {
      replicas: REPLICAS,
      strategy: {
        type: 'RollingUpdate',
        rollingUpdate: { maxUnavailable: k8s.IntOrString.fromNumber(0), maxSurge: k8s.IntOrString.fromNumber(1) },
      },
      selector: { matchLabels: operatorSelector(names) },
      template: {
        metadata: { labels },
        spec: { ...podSpec(names, workload), topologySpreadConstraints: [spread(names)] },
      },
    },
  });
};
