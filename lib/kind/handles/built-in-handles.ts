import type { DaemonSet as KubeDaemonSet } from 'kubernetes-types/apps/v1.js';
import type { HorizontalPodAutoscaler as KubeHorizontalPodAutoscaler } from 'kubernetes-types/autoscaling/v2.js';
import type { CronJob as KubeCronJob, Job as KubeJob } from 'kubernetes-types/batch/v1.js';
import type {
  LimitRange as KubeLimitRange,
  Namespace as KubeNamespace,
  PersistentVolumeClaim as KubePersistentVolumeClaim,
  ResourceQuota as KubeResourceQuota,
  Secret as KubeSecret,
  ServiceAccount as KubeServiceAccount,
} from 'kubernetes-types/core/v1.js';
import type { Ingress as KubeIngress, NetworkPolicy as KubeNetworkPolicy } from 'kubernetes-types/networking/v1.js';
import type { PodDisruptionBudget as KubePodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import type { Role as KubeRole, RoleBinding as KubeRoleBinding } from 'kubernetes-types/rbac/v1.js';
import type { PriorityClass as KubePriorityClass } from 'kubernetes-types/scheduling/v1.js';
import type { StorageClass as KubeStorageClass } from 'kubernetes-types/storage/v1.js';
import type { KindRef } from './reference.ts';

/**
 * The core kind Secret; the cache keeps all fields. An operator that owns or reads Secrets gets the right to read every Secret in
 * the namespaces in which it works.
 */
export const Secret: KindRef<KubeSecret> = {
  apiVersion: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  scope: 'Namespaced',
};

/** The core kind ServiceAccount; the cache keeps all fields. */
export const ServiceAccount: KindRef<KubeServiceAccount> = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  scope: 'Namespaced',
};

/** The core kind Namespace; the cache keeps all fields. A namespaced kind may own namespaces only through `elsewhere()`. */
export const Namespace: KindRef<KubeNamespace> = {
  apiVersion: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  scope: 'Cluster',
};

/**
 * The core kind PersistentVolumeClaim; the cache keeps all fields. The object holds data, so the loop prunes it only with
 * consent.
 */
export const PersistentVolumeClaim: KindRef<KubePersistentVolumeClaim> = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  scope: 'Namespaced',
  holdsData: true,
};

/** The kind DaemonSet of `apps/v1`; the cache keeps all fields. */
export const DaemonSet: KindRef<KubeDaemonSet> = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  plural: 'daemonsets',
  scope: 'Namespaced',
};

/**
 * The kind Job of `batch/v1`; the cache keeps all fields. The template of a Job is immutable, so derive the name of the Job
 * from a hash of the template.
 */
export const Job: KindRef<KubeJob> = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  plural: 'jobs',
  scope: 'Namespaced',
  createOnce: true,
};

/** The kind CronJob of `batch/v1`; the cache keeps all fields. */
export const CronJob: KindRef<KubeCronJob> = {
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  plural: 'cronjobs',
  scope: 'Namespaced',
};

/** The kind Ingress of `networking.k8s.io/v1`; the cache keeps all fields. */
export const Ingress: KindRef<KubeIngress> = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  plural: 'ingresses',
  scope: 'Namespaced',
};

/** The kind NetworkPolicy of `networking.k8s.io/v1`; the cache keeps all fields. */
export const NetworkPolicy: KindRef<KubeNetworkPolicy> = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  scope: 'Namespaced',
};

/** The kind PodDisruptionBudget of `policy/v1`; the cache keeps all fields. */
export const PodDisruptionBudget: KindRef<KubePodDisruptionBudget> = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  scope: 'Namespaced',
};

/** The kind HorizontalPodAutoscaler of `autoscaling/v2`; the cache keeps all fields. */
export const HorizontalPodAutoscaler: KindRef<KubeHorizontalPodAutoscaler> = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  scope: 'Namespaced',
};

/**
 * The kind Role of `rbac.authorization.k8s.io/v1`; the cache keeps all fields. An operator that creates roles needs `grants` in
 * `Operator`.
 */
export const Role: KindRef<KubeRole> = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'Role',
  plural: 'roles',
  scope: 'Namespaced',
};

/**
 * The kind RoleBinding of `rbac.authorization.k8s.io/v1`; the cache keeps all fields. An operator that creates bindings needs
 * `grants` in `Operator`.
 */
export const RoleBinding: KindRef<KubeRoleBinding> = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  plural: 'rolebindings',
  scope: 'Namespaced',
};

/** The core kind ResourceQuota; the cache keeps all fields. */
export const ResourceQuota: KindRef<KubeResourceQuota> = {
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  scope: 'Namespaced',
};

/** The core kind LimitRange; the cache keeps all fields. */
export const LimitRange: KindRef<KubeLimitRange> = {
  apiVersion: 'v1',
  kind: 'LimitRange',
  plural: 'limitranges',
  scope: 'Namespaced',
};

/**
 * The kind PriorityClass of `scheduling.k8s.io/v1`; the cache keeps all fields. A namespaced kind may own it only through
 * `elsewhere()`.
 */
export const PriorityClass: KindRef<KubePriorityClass> = {
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  scope: 'Cluster',
};

/**
 * The kind StorageClass of `storage.k8s.io/v1`; the cache keeps all fields. A namespaced kind may own it only through
 * `elsewhere()`.
 */
export const StorageClass: KindRef<KubeStorageClass> = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  plural: 'storageclasses',
  scope: 'Cluster',
};
