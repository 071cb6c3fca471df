import { namesOf } from '#lib/kind/names.ts';
import { tryNearest } from '#lib/kind/value/suggestion.ts';
import { groupOf, hasDomain, type KindRef } from './reference.ts';

/** The names of a built-in kind in one version of its API. */
export type BuiltInKind = Pick<KindRef, 'apiVersion' | 'kind' | 'plural' | 'scope'>;

/**
 * The kinds of a Kubernetes 1.36 API server, by group and version.
 *
 * @see k8s.io/kubernetes v1.36.4 discovery of a server with default feature gates
 */
const NAMESPACED: Readonly<Record<string, string>> = {
  v1: 'Binding ConfigMap Endpoints Event LimitRange PersistentVolumeClaim Pod PodTemplate ReplicationController ResourceQuota Secret Service ServiceAccount',
  'apps/v1': 'ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet',
  'authorization.k8s.io/v1': 'LocalSubjectAccessReview',
  'autoscaling/v1': 'HorizontalPodAutoscaler',
  'autoscaling/v2': 'HorizontalPodAutoscaler',
  'batch/v1': 'CronJob Job',
  'coordination.k8s.io/v1': 'Lease',
  'discovery.k8s.io/v1': 'EndpointSlice',
  'events.k8s.io/v1': 'Event',
  'networking.k8s.io/v1': 'Ingress NetworkPolicy',
  'policy/v1': 'PodDisruptionBudget',
  'rbac.authorization.k8s.io/v1': 'Role RoleBinding',
  'resource.k8s.io/v1': 'ResourceClaim ResourceClaimTemplate',
  'storage.k8s.io/v1': 'CSIStorageCapacity',
};

const CLUSTER_SCOPED: Readonly<Record<string, string>> = {
  v1: 'ComponentStatus Namespace Node PersistentVolume',
  'admissionregistration.k8s.io/v1':
    'MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration',
  'apiextensions.k8s.io/v1': 'CustomResourceDefinition',
  'apiregistration.k8s.io/v1': 'APIService',
  'authentication.k8s.io/v1': 'SelfSubjectReview TokenReview',
  'authorization.k8s.io/v1': 'SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview',
  'certificates.k8s.io/v1': 'CertificateSigningRequest',
  'flowcontrol.apiserver.k8s.io/v1': 'FlowSchema PriorityLevelConfiguration',
  'networking.k8s.io/v1': 'IPAddress IngressClass ServiceCIDR',
  'node.k8s.io/v1': 'RuntimeClass',
  'rbac.authorization.k8s.io/v1': 'ClusterRole ClusterRoleBinding',
  'resource.k8s.io/v1': 'DeviceClass ResourceSlice',
  'scheduling.k8s.io/v1': 'PriorityClass',
  'storage.k8s.io/v1': 'CSIDriver CSINode StorageClass VolumeAttachment VolumeAttributesClass',
};

const kindsOf = (scope: KindRef['scope'], table: Readonly<Record<string, string>>): BuiltInKind[] =>
  Object.entries(table).flatMap(([apiVersion, kinds]) =>
    kinds.split(' ').map((kind) => {
      const plural = kind === 'Endpoints' ? 'endpoints' : namesOf({ group: groupOf(apiVersion), kind }).plural;
      return { apiVersion, kind, plural, scope };
    }),
  );

/** The kinds of a Kubernetes 1.36 API server, one entry for each version of a kind. */
export const builtInKinds: readonly BuiltInKind[] = [
  ...kindsOf('Namespaced', NAMESPACED),
  ...kindsOf('Cluster', CLUSTER_SCOPED),
];

type KindName = Pick<KindRef, 'apiVersion' | 'kind'>;

/** The built-in kind with the same group and kind, in any version; undefined for other kinds. */
export const tryBuiltIn = ({ apiVersion, kind }: KindName): BuiltInKind | undefined =>
  builtInKinds.find((known) => known.kind === kind && groupOf(known.apiVersion) === groupOf(apiVersion));

/** A kind that does not exist, and the existing kind that its author probably meant. */
export interface MissingKind {
  readonly meant?: KindName;
}

/**
 * Describes a kind that no Kubernetes API server has; undefined for all other kinds, and if this is not certain:
 *
 * - A group or a version that is not in the table can be of a custom resource, or of another Kubernetes version.
 * - The groups without a domain, such as `apps`, get no new kinds, because Kubernetes adds kinds to groups of `k8s.io` only.
 *   Every other kind is missing in them.
 * - A later Kubernetes version can add a kind to a group of `k8s.io`. In such a group, a kind is missing only if its name is
 *   similar to that of another kind of the group, or equal to that of a kind of another group.
 */
export const tryMissing = ({ apiVersion, kind }: KindName): MissingKind | undefined => {
  const siblings = builtInKinds.filter((known) => known.apiVersion === apiVersion).map((known) => known.kind);
  if (siblings.length === 0 || siblings.includes(kind)) return undefined;
  const nearest = tryNearest(kind, siblings);
  const meant =
    nearest === undefined ? builtInKinds.find((known) => known.kind === kind) : { apiVersion, kind: nearest };
  if (meant === undefined) return hasDomain(apiVersion) ? undefined : {};
  return { meant };
};
