import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { type KindRef, resourceName } from '#lib/kind/handles/reference.ts';
import { kindName, type Reach, reachOf, runsPods, unknownChildren } from './reach.ts';

/**
 * The annotation of roles that lists, for reviewers, rights that users gain through the operator, and wide rights of the
 * operator.
 */
export const ESCALATION_ANNOTATION = 'cdk8s-reconcile/escalation';

/** The sentence about the right of the operator to patch CRDs. */
export const PATCHES_DEFINITIONS =
  'the operator may patch the CRDs of its own kinds, to renew the certificate of their webhook: the holder of its token may change the definitions';

const PODS =
  'can run and delete pods through the operator, and so reach every Secret, ConfigMap and ServiceAccount of the namespace';

const RIGHTS = 'can have rights granted through the operator, as far as its own rights go';
const ADMISSION = 'can have requests of the whole cluster read, changed and refused through the operator';
const APIS = 'can have APIs of the cluster redefined or answered by another server through the operator';

/**
 * The rights that users with write access to a resource gain, by the kind that the resource writes. Rights on pods are
 * separate.
 *
 * @see https://kubernetes.io/docs/concepts/security/rbac-good-practices/
 */
const GAINS: Readonly<Record<string, string>> = {
  'Secret.':
    'can have Secrets written through the operator: one of type kubernetes.io/service-account-token receives a token of any ServiceAccount of the namespace',
  'ServiceAccount.':
    'can have ServiceAccounts made and changed through the operator: rights that are bound to such a name come with it',
  'Namespace.': 'can have namespaces changed through the operator: their labels set the Pod Security level',
  'Node.': 'can have nodes changed through the operator: labels and taints decide where pods run',
  'PersistentVolume.': 'can have files of nodes mounted by a PersistentVolume of type hostPath through the operator',
  'Role.rbac.authorization.k8s.io': RIGHTS,
  'RoleBinding.rbac.authorization.k8s.io': RIGHTS,
  'ClusterRole.rbac.authorization.k8s.io': RIGHTS,
  'ClusterRoleBinding.rbac.authorization.k8s.io': RIGHTS,
  'MutatingWebhookConfiguration.admissionregistration.k8s.io': ADMISSION,
  'ValidatingWebhookConfiguration.admissionregistration.k8s.io': ADMISSION,
  'MutatingAdmissionPolicy.admissionregistration.k8s.io': ADMISSION,
  'MutatingAdmissionPolicyBinding.admissionregistration.k8s.io': ADMISSION,
  'ValidatingAdmissionPolicy.admissionregistration.k8s.io': ADMISSION,
  'ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io': ADMISSION,
  'CustomResourceDefinition.apiextensions.k8s.io': APIS,
  'APIService.apiregistration.k8s.io': APIS,
  'CertificateSigningRequest.certificates.k8s.io':
    'can have certificates requested through the operator: an approved one authenticates as the user that it names',
};

const unknownGain = (reach: Reach): string | undefined => {
  const names = unknownChildren(reach).map(resourceName);
  return names.length === 0
    ? undefined
    : `can have ${names.join(', ')} written through the operator, which this bundle does not define: their controller may run pods`;
};

const gainsOf = (reach: Reach): readonly string[] => {
  const named = reach.children.map((child) => GAINS[kindName(child)]);
  const gains = [runsPods(reach) ? PODS : undefined, ...named, unknownGain(reach)];
  return [...new Set(gains.filter((gain) => gain !== undefined))];
};

/** RBAC cannot limit a patch to one annotation, so the right covers the whole parent. */
const annotationRights = (kinds: readonly AnyKindDefinition[]): readonly string[] =>
  kinds.flatMap(({ extension, kind }) =>
    extension?.annotation
      ? [
          `the operator may patch ${resourceName(extension.of)}, to write the annotation of ${kind}: the holder of its token may change their other fields, too`,
        ]
      : [],
  );

const authorOf = ({ kind, extension }: AnyKindDefinition): string =>
  extension ? `${extension.of.kind} (by ${kind})` : kind;

const placeOf = ({ scope, elsewhere }: KindRef): string => {
  const namespaces = elsewhere?.namespaces;
  if (scope === 'Cluster') return 'for the whole cluster';
  return typeof namespaces === 'string'
    ? 'in any namespace except kube-* and that of the operator'
    : `in ${(namespaces ?? []).join(', ')}`;
};

/**
 * The objects that authors of resources can have written or read outside of the namespace of the resource, also through resources
 * of other kinds of the bundle that their resource owns.
 */
const elsewhereRights = (reaches: readonly Reach[]): readonly string[] => {
  const sentences = reaches.flatMap(({ definition, children, definitions }) => {
    const sentencesOf = (handles: readonly KindRef[], verb: 'written' | 'read'): readonly string[] =>
      handles
        .filter(({ elsewhere }) => elsewhere !== undefined)
        .map(
          (kind) =>
            `authors of ${authorOf(definition)} can have ${resourceName(kind)} ${verb} ${placeOf(kind)} through the operator, also without rights there`,
        );
    const owned = definitions.flatMap(({ owns }) => owns);
    const looked = definitions.flatMap(({ reads = [] }) => reads);
    return [...sentencesOf([...owned, ...children], 'written'), ...sentencesOf(looked, 'read')];
  });
  return [...new Set(sentences)];
};

/** Objects with a gain that users with the ClusterRole `edit` may write themselves. */
const WRITTEN_BY_EDITORS = new Set(['Secret.', 'ServiceAccount.']);

/**
 * The kinds whose authors gain rights that users with the ClusterRole `edit` do not have: on objects of administrators, or in other
 * namespaces. Rights on pods do not count, because such users have them.
 */
export const kindsBeyondEdit = (kinds: readonly AnyKindDefinition[]): readonly AnyKindDefinition[] =>
  reachOf(kinds)
    .filter((reach) => {
      const gains = reach.children.map(kindName).filter((name) => name in GAINS && !WRITTEN_BY_EDITORS.has(name));
      return gains.length > 0 || elsewhereRights([reach]).length > 0;
    })
    .map(({ definition }) => definition);

/**
 * Describes the rights that users gain through the operator, and wide rights of the operator itself.
 *
 * @returns one sentence for each right; the kinds that give the same right share a sentence
 * @see https://kubernetes.io/docs/concepts/security/rbac-good-practices/#workload-creation
 */
export const escalationSentences = (
  kinds: readonly AnyKindDefinition[],
  { hasEffects, patchesDefinitions }: { readonly hasEffects: boolean; readonly patchesDefinitions: boolean },
): readonly string[] => {
  const reaches = reachOf(kinds);
  const ways = reaches.flatMap((reach) => gainsOf(reach).map((gain) => ({ gain, ...reach.definition })));
  const byGain = Map.groupBy(ways, ({ gain }) => gain);
  return [
    ...[...byGain].map(([gain, authors]) => `authors of ${authors.map(authorOf).join(', ')} ${gain}`),
    ...(hasEffects
      ? [
          'the operator reads the Secrets that resources name for effects, one at a time: the holder of its token may read each Secret whose name it knows',
        ]
      : []),
    ...elsewhereRights(reaches),
    ...annotationRights(kinds),
    ...(patchesDefinitions ? [PATCHES_DEFINITIONS] : []),
  ];
};
