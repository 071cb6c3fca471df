import { invalidValue, required } from '#lib/apiserver/machinery/field-error.ts';
import { withGeneration } from '#lib/apiserver/machinery/generation.ts';
import { listIn, objectIn, textIn } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { isDns1123Subdomain, isPathSegmentName } from '#lib/apiserver/machinery/validation/content.ts';
import { type FieldErrors, fine, forItems } from '#lib/apiserver/machinery/validation/field.ts';
import { equalJson } from '#lib/json.ts';
import { horizontalPodAutoscalerKind } from './autoscaling/horizontal-pod-autoscaler.ts';
import { ingressKind } from './networking/ingress.ts';
import { ingressClassKind } from './networking/ingress-class.ts';
import { podTemplateKind } from './pods/pod-template-kind.ts';
import { endpointSliceKind } from './services/endpoint-slice.ts';
import { persistentVolumeKind } from './storage/persistent-volume.ts';
import { type BuiltinKind, type BuiltinStrategy, prepareSpecUpdate } from './strategy.ts';
import { checkMetadata, checkMetadataUpdate } from './validation/object-meta.ts';

type Names = Pick<BuiltinKind, 'group' | 'kind' | 'plural' | 'scope' | 'hasStatus'>;

const RBAC = 'rbac.authorization.k8s.io';
const ADMISSION = 'admissionregistration.k8s.io';

/** Creates a kind that the server stores after a check of the metadata. `more` adds checks, and `hooks` replace functions. */
const stored = (
  names: Names,
  { more = () => fine, ...hooks }: Partial<BuiltinStrategy> & { more?: (object: ServerObject) => FieldErrors } = {},
): BuiltinKind => {
  const isNamespaced = names.scope !== 'Cluster';
  const check = names.group === RBAC ? isPathSegmentName : isDns1123Subdomain;
  return {
    ...names,
    strategy: {
      check: (object) => [...checkMetadata(object, { check, isNamespaced }), ...more(object)],
      checkUpdate: (object, old) => [...checkMetadataUpdate(object, old), ...more(object)],
      ...hooks,
    },
  };
};

const withSpec = (names: Names): BuiltinKind =>
  stored(names, {
    prepareForCreate: (object) => withGeneration(object, 1),
    prepareForUpdate: prepareSpecUpdate,
  });

const checkRules = (role: ServerObject): FieldErrors =>
  forItems('rules', listIn(role, 'rules'), (rule, at) =>
    Array.isArray(rule['verbs']) && rule['verbs'].length > 0
      ? fine
      : [required(`${at}.verbs`, 'verbs must contain at least one value')],
  );

const checkSubjects = (binding: ServerObject): FieldErrors =>
  forItems('subjects', listIn(binding, 'subjects'), (subject, at) =>
    textIn(subject, 'name') === '' ? [required(`${at}.name`)] : fine,
  );

const checkBinding = (binding: ServerObject): FieldErrors => [
  ...(textIn(objectIn(binding, 'roleRef'), 'name') === '' ? [required('roleRef.name')] : []),
  ...checkSubjects(binding),
];

/** @see k8s.io/kubernetes v1.36.4 pkg/apis/rbac/v1/defaults.go */
const withBindingDefaults = (binding: ServerObject): ServerObject => ({
  ...binding,
  ...(Array.isArray(binding['subjects']) && {
    subjects: listIn(binding, 'subjects').map((subject) =>
      subject['apiGroup'] === undefined && textIn(subject, 'kind') !== 'ServiceAccount'
        ? { ...subject, apiGroup: RBAC }
        : subject,
    ),
  }),
  roleRef: { ...objectIn(binding, 'roleRef'), apiGroup: textIn(objectIn(binding, 'roleRef'), 'apiGroup') || RBAC },
});

const role = (names: Omit<Names, 'group'>): BuiltinKind => stored({ group: RBAC, ...names }, { more: checkRules });

const binding = (names: Omit<Names, 'group'>): BuiltinKind =>
  stored(
    { group: RBAC, ...names },
    {
      setDefaults: withBindingDefaults,
      check: (object) => [
        ...checkMetadata(object, { check: isPathSegmentName, isNamespaced: names.scope !== 'Cluster' }),
        ...checkBinding(object),
      ],
      checkUpdate: (object, old) => [
        ...checkMetadataUpdate(object, old),
        ...checkBinding(object),
        ...(equalJson(object['roleRef'], old['roleRef'])
          ? fine
          : [invalidValue('roleRef', object['roleRef'] ?? null, 'cannot change roleRef')]),
      ],
    },
  );

/**
 * The built-in kinds that no controller acts on. For most of them, the server checks types, metadata, and few other fields. In
 * the embedded cluster, ServiceAccounts, roles and bindings take effect in the authorization of requests.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/rbac/validation/validation.go
 */
export const storedKinds: readonly BuiltinKind[] = [
  persistentVolumeKind,
  podTemplateKind,
  ingressKind,
  ingressClassKind,
  endpointSliceKind,
  horizontalPodAutoscalerKind,
  stored({ group: '', kind: 'ServiceAccount', plural: 'serviceaccounts' }),
  role({ kind: 'ClusterRole', plural: 'clusterroles', scope: 'Cluster' }),
  role({ kind: 'Role', plural: 'roles' }),
  binding({ kind: 'ClusterRoleBinding', plural: 'clusterrolebindings', scope: 'Cluster' }),
  binding({ kind: 'RoleBinding', plural: 'rolebindings' }),
  withSpec({ group: 'networking.k8s.io', kind: 'NetworkPolicy', plural: 'networkpolicies' }),
  withSpec({ group: 'policy', kind: 'PodDisruptionBudget', plural: 'poddisruptionbudgets', hasStatus: true }),
  withSpec({
    group: ADMISSION,
    kind: 'ValidatingAdmissionPolicy',
    plural: 'validatingadmissionpolicies',
    scope: 'Cluster',
    hasStatus: true,
  }),
  withSpec({
    group: ADMISSION,
    kind: 'ValidatingAdmissionPolicyBinding',
    plural: 'validatingadmissionpolicybindings',
    scope: 'Cluster',
  }),
];
