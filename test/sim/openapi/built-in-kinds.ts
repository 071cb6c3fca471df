/** The path at which the API server publishes a group version, and its kinds that the virtual cluster serves. */
export interface GroupVersion {
  /** Below `/openapi/v3/`. */
  readonly path: string;
  /** Names of their definitions, without `io.k8s.` and the like. */
  readonly kinds: readonly string[];
}

/** The built-in kinds whose types are read from the API server. */
export const groupVersions: readonly GroupVersion[] = [
  {
    path: 'api/v1',
    kinds: [
      'core.v1.ConfigMap',
      'core.v1.Event',
      'core.v1.LimitRange',
      'core.v1.Namespace',
      'core.v1.Node',
      'core.v1.PersistentVolume',
      'core.v1.PersistentVolumeClaim',
      'core.v1.Pod',
      'core.v1.PodTemplate',
      'core.v1.ResourceQuota',
      'core.v1.Secret',
      'core.v1.Service',
      'core.v1.ServiceAccount',
    ],
  },
  {
    path: 'apis/apps/v1',
    kinds: [
      'apps.v1.ControllerRevision',
      'apps.v1.DaemonSet',
      'apps.v1.Deployment',
      'apps.v1.ReplicaSet',
      'apps.v1.StatefulSet',
    ],
  },
  { path: 'apis/autoscaling/v2', kinds: ['autoscaling.v2.HorizontalPodAutoscaler'] },
  { path: 'apis/batch/v1', kinds: ['batch.v1.CronJob', 'batch.v1.Job'] },
  { path: 'apis/coordination.k8s.io/v1', kinds: ['coordination.v1.Lease'] },
  {
    path: 'apis/rbac.authorization.k8s.io/v1',
    kinds: ['rbac.v1.ClusterRole', 'rbac.v1.ClusterRoleBinding', 'rbac.v1.Role', 'rbac.v1.RoleBinding'],
  },
  { path: 'apis/discovery.k8s.io/v1', kinds: ['discovery.v1.EndpointSlice'] },
  {
    path: 'apis/networking.k8s.io/v1',
    kinds: ['networking.v1.Ingress', 'networking.v1.IngressClass', 'networking.v1.NetworkPolicy'],
  },
  { path: 'apis/policy/v1', kinds: ['policy.v1.PodDisruptionBudget'] },
  { path: 'apis/scheduling.k8s.io/v1', kinds: ['scheduling.v1.PriorityClass'] },
  { path: 'apis/storage.k8s.io/v1', kinds: ['storage.v1.StorageClass'] },
  {
    path: 'apis/admissionregistration.k8s.io/v1',
    kinds: [
      'admissionregistration.v1.MutatingAdmissionPolicy',
      'admissionregistration.v1.MutatingAdmissionPolicyBinding',
      'admissionregistration.v1.ValidatingAdmissionPolicy',
      'admissionregistration.v1.ValidatingAdmissionPolicyBinding',
    ],
  },
];
