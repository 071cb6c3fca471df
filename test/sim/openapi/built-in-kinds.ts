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
      'core.v1.Namespace',
      'core.v1.Node',
      'core.v1.Pod',
      'core.v1.PodTemplate',
      'core.v1.ResourceQuota',
      'core.v1.Secret',
      'core.v1.Service',
      'core.v1.ServiceAccount',
    ],
  },
  { path: 'apis/apps/v1', kinds: ['apps.v1.ControllerRevision', 'apps.v1.Deployment', 'apps.v1.ReplicaSet'] },
  { path: 'apis/coordination.k8s.io/v1', kinds: ['coordination.v1.Lease'] },
  {
    path: 'apis/rbac.authorization.k8s.io/v1',
    kinds: ['rbac.v1.ClusterRole', 'rbac.v1.ClusterRoleBinding', 'rbac.v1.Role', 'rbac.v1.RoleBinding'],
  },
  { path: 'apis/networking.k8s.io/v1', kinds: ['networking.v1.NetworkPolicy'] },
  { path: 'apis/policy/v1', kinds: ['policy.v1.PodDisruptionBudget'] },
  {
    path: 'apis/admissionregistration.k8s.io/v1',
    kinds: [
      'admissionregistration.v1.ValidatingAdmissionPolicy',
      'admissionregistration.v1.ValidatingAdmissionPolicyBinding',
    ],
  },
];
