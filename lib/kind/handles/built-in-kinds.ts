import { namesOf } from '#lib/kind/names.ts';
import { groupOf, type KindRef } from './reference.ts';

/** The API groups of Kubernetes itself for which {@link builtInNames} returns names. */
const GROUPS: ReadonlySet<string> = new Set([
  '',
  'admissionregistration.k8s.io',
  'apps',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
]);

/** The cluster-scoped kinds of these groups. */
const CLUSTER_SCOPED: ReadonlySet<string> = new Set([
  'CSIDriver',
  'CSINode',
  'CertificateSigningRequest',
  'ClusterRole',
  'ClusterRoleBinding',
  'ClusterTrustBundle',
  'FlowSchema',
  'IPAddress',
  'IngressClass',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
  'MutatingWebhookConfiguration',
  'Namespace',
  'Node',
  'PersistentVolume',
  'PriorityClass',
  'PriorityLevelConfiguration',
  'RuntimeClass',
  'ServiceCIDR',
  'StorageClass',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'ValidatingWebhookConfiguration',
  'VolumeAttachment',
  'VolumeAttributesClass',
]);

/**
 * The plural and the scope of a built-in kind, by the naming rules of Kubernetes; undefined for other groups.
 *
 * Caveats: a kind that does not exist has a plural, too.
 */
export const builtInNames = ({
  apiVersion,
  kind,
}: Pick<KindRef, 'apiVersion' | 'kind'>): Pick<KindRef, 'plural' | 'scope'> | undefined => {
  const group = groupOf(apiVersion);
  if (!GROUPS.has(group)) return undefined;
  const plural = kind === 'Endpoints' ? 'endpoints' : namesOf({ group, kind }).plural;
  return { plural, scope: CLUSTER_SCOPED.has(kind) ? 'Cluster' : 'Namespaced' };
};
