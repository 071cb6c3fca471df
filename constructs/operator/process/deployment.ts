import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import type {
  Container,
  PodSpec,
  Probe,
  ResourceRequirements,
  TopologySpreadConstraint,
  Volume,
} from 'kubernetes-types/core/v1.js';
import type { ConversionWorkload } from '#constructs/operator/conversion.ts';
import { type OperatorNames, operatorLabels, operatorSelector } from '#constructs/operator/names.ts';
import { CONVERSION_PORT, HEALTH_PORT, METRICS_PORT } from './ports.ts';
import { CERTIFICATE_DIR, envOf, fieldRef } from './process-env.ts';
import { RECORD_MIB, recordMounts, recordVolumes } from './record.ts';
import { trustMounts, trustVolumes } from './trust.ts';
import type { Workload } from './workload.ts';

/** The UID of the user `nonroot` in distroless images. */
const USER_ID = 65_532;
/** The grace period after SIGTERM, in seconds. The process needs at most 30 s (`lib/runtime/closers.ts`). */
const TERMINATION_GRACE_SECONDS = 40;
/**
 * The lifetime of the ServiceAccount token, in seconds. Tokens that the kubelet mounts automatically have about the same
 * lifetime.
 */
const TOKEN_SECONDS = 3600;

const probe = (path: string, periodSeconds: number): Probe => ({
  httpGet: { path, port: 'health' },
  periodSeconds,
  timeoutSeconds: 2,
});

/**
 * The first probe comes after the time of a normal start, because the kubelet writes a warning event for each failed probe.
 *
 * @see https://github.com/kubernetes/kubernetes/blob/v1.36.4/pkg/kubelet/prober/worker.go (doProbe)
 */
const startupProbe: Probe = { ...probe('/healthz', 1), initialDelaySeconds: 5, failureThreshold: 60 };

const conversionVolume = (conversion: ConversionWorkload | undefined): Volume[] => {
  if (!conversion?.isMounted) return [];
  const items = ['tls.crt', 'tls.key'].map((key) => ({ key, path: key }));
  return [{ name: 'conversion', secret: { secretName: conversion.service, items } }];
};

/**
 * The ephemeral storage for logs, in MiB. Logs are the only files that grow, besides recorded passes. By default, a kubelet
 * keeps 50 MiB of logs for each container, but some clusters configure several times as much.
 *
 * @see https://kubernetes.io/docs/concepts/cluster-administration/logging/#log-rotation
 */
const LOG_STORAGE_MIB = 512;

/** The volume of recorded passes is an `emptyDir`, which the kubelet counts as ephemeral storage. */
const resourcesOf = ({ memoryMiB, isRecorded }: Workload): ResourceRequirements => {
  const storage = `${LOG_STORAGE_MIB + (isRecorded ? RECORD_MIB : 0)}Mi`;
  return {
    requests: {
      cpu: '10m',
      memory: `${Math.ceil(memoryMiB / 2)}Mi`,
      'ephemeral-storage': storage,
    },
    limits: { memory: `${memoryMiB}Mi`, 'ephemeral-storage': storage },
  };
};

const container = (names: OperatorNames, workload: Workload): Container => ({
  name: 'operator',
  image: workload.image,
  env: envOf(names, workload),
  ports: [
    { name: 'health', containerPort: HEALTH_PORT, protocol: 'TCP' },
    { name: 'metrics', containerPort: METRICS_PORT, protocol: 'TCP' },
    ...(workload.conversion ? [{ name: 'conversion', containerPort: CONVERSION_PORT, protocol: 'TCP' }] : []),
  ],
  startupProbe,
  livenessProbe: { ...probe('/healthz', 10), failureThreshold: 6 },
  readinessProbe: probe('/readyz', 5),
  resources: resourcesOf(workload),
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  },
  volumeMounts: [
    { name: 'api-access', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', readOnly: true },
    ...(workload.conversion?.isMounted ? [{ name: 'conversion', mountPath: CERTIFICATE_DIR, readOnly: true }] : []),
    ...trustMounts(workload),
    ...recordMounts(workload),
  ],
});

/**
 * The files that `automountServiceAccountToken` would mount in every container, such as an injected sidecar. This volume is
 * mounted only in the container of the operator.
 */
const apiAccess: Volume = {
  name: 'api-access',
  projected: {
    sources: [
      { serviceAccountToken: { path: 'token', expirationSeconds: TOKEN_SECONDS } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      { downwardAPI: { items: [{ path: 'namespace', fieldRef: fieldRef('metadata.namespace') }] } },
    ],
  },
};

const podSpec = (names: OperatorNames, workload: Workload): PodSpec => ({
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
  volumes: [apiAccess, ...conversionVolume(workload.conversion), ...trustVolumes(workload), ...recordVolumes(workload)],
});

/** One replica leads, and the other can take over within seconds. */
const REPLICAS = 2;

/** The scheduler prefers different nodes for the replicas, so that the failure of one node does not stop both. */
const spread = (names: OperatorNames): TopologySpreadConstraint => ({
  maxSkew: 1,
  topologyKey: 'kubernetes.io/hostname',
  whenUnsatisfiable: 'ScheduleAnyway',
  labelSelector: { matchLabels: operatorSelector(names) },
});

/** Adds the Deployment of the operator, with two replicas. An update starts a new pod before it stops an old one. */
export const addDeployment = (scope: Construct, names: OperatorNames, workload: Workload): ApiObject => {
  const labels = operatorLabels(names);
  return new ApiObject(scope, 'deployment', {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: names.name, namespace: names.namespace, labels },
    spec: {
      replicas: REPLICAS,
      strategy: {
        type: 'RollingUpdate',
        rollingUpdate: { maxUnavailable: 0, maxSurge: 1 },
      },
      selector: { matchLabels: operatorSelector(names) },
      template: {
        metadata: { labels },
        spec: { ...podSpec(names, workload), topologySpreadConstraints: [spread(names)] },
      },
    },
  } satisfies Deployment);
};
