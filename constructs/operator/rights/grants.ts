import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { PolicyRule, RightsScope } from '#lib/desired/rights/policy-rules.ts';
import { groupOf, type KindRef } from '#lib/kind/handles/reference.ts';

/** A role by kind and name, such as `ClusterRole/view`. */
export type RoleName = `${'Role' | 'ClusterRole'}/${string}`;

/**
 * Roles that the kinds can grant although the operator does not have all rights of these roles. The API server refuses a role
 * or binding with rights that its author lacks. It accepts them if the author may `escalate` or `bind` that role.
 *
 * Caveats: every user with write access to a resource of a kind that owns RBAC objects can obtain these roles.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#privilege-escalation-prevention-and-bootstrapping
 */
export interface GrantProps {
  /** Roles that a RoleBinding or ClusterRoleBinding of a kind may refer to. `[]` if the operator itself has all their rights. */
  readonly bind?: readonly RoleName[];
  /** Roles that a kind may create or change, whatever rights they contain. `[]` if the operator itself has all their rights. */
  readonly escalate?: readonly RoleName[];
}

const RBAC_GROUP = 'rbac.authorization.k8s.io';

/** Whether a kind belongs to the API group `rbac.authorization.k8s.io`. */
export const isOfRbac = ({ apiVersion }: KindRef): boolean => groupOf(apiVersion) === RBAC_GROUP;

const rulesOf = (verb: keyof GrantProps, names: readonly RoleName[]): readonly PolicyRule[] =>
  [...Map.groupBy(names, (name) => (name.startsWith('Role/') ? 'roles' : 'clusterroles'))]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([resource, ofResource]) => ({
      apiGroups: [RBAC_GROUP],
      resources: [resource],
      resourceNames: [...new Set(ofResource.map((name) => name.slice(name.indexOf('/') + 1)))].toSorted(),
      verbs: [verb],
    }));

/**
 * Whether a kind owns RBAC objects that are cluster-scoped or in any namespace. These objects need the grants in a ClusterRole.
 */
const reachesCluster = ({ owns }: AnyKindDefinition): boolean =>
  owns.some((owned) => isOfRbac(owned) && (owned.scope === 'Cluster' || owned.elsewhere?.namespaces === 'any'));

const isNamed = ({ elsewhere }: KindRef): boolean => Array.isArray(elsewhere?.namespaces);

/** Whether the kinds own RBAC objects, and all of them only in namespaces that `elsewhere()` names. */
const areAllNamed = (kinds: readonly AnyKindDefinition[]): boolean => {
  const owned = kinds.flatMap(({ owns }) => owns.filter(isOfRbac));
  return owned.length > 0 && owned.every(isNamed);
};

/**
 * Makes the rules for the verbs `bind` and `escalate` on the roles of `grants`.
 *
 * @param options - `where`: the scope of the role that will contain the rules; `undefined` for the role of an operator of all
 *   namespaces
 * @returns an empty list for the scope Cluster if no kind owns RBAC objects that are cluster-scoped or in any namespace, or if
 *   the kinds own RBAC objects only in namespaces that `elsewhere()` names
 */
export const grantRules = (
  { bind = [], escalate = [] }: GrantProps = {},
  { kinds, where }: { readonly kinds: readonly AnyKindDefinition[]; readonly where: RightsScope | undefined },
): readonly PolicyRule[] =>
  (where === 'Cluster' && !kinds.some(reachesCluster)) || areAllNamed(kinds)
    ? []
    : [...rulesOf('bind', bind), ...rulesOf('escalate', escalate)];

/** Makes the rules of {@link grantRules} for a namespace that `elsewhere()` names; none if no kind has RBAC objects there. */
export const grantRulesElsewhere = (
  { bind = [], escalate = [] }: GrantProps = {},
  { kinds, namespace }: { readonly kinds: readonly AnyKindDefinition[]; readonly namespace: string },
): readonly PolicyRule[] => {
  const isThere = (kind: KindRef): boolean =>
    isOfRbac(kind) && isNamed(kind) && kind.elsewhere?.namespaces?.includes(namespace) === true;
  return kinds.some(({ owns }) => owns.some(isThere))
    ? [...rulesOf('bind', bind), ...rulesOf('escalate', escalate)]
    : [];
};

/**
 * Describes the permissions that users of the kinds can obtain by `grants`.
 *
 * @returns one sentence; an empty list without grants, or without a kind that owns RBAC objects
 */
export const grantSentences = (
  kinds: readonly AnyKindDefinition[],
  { bind = [], escalate = [] }: GrantProps = {},
): readonly string[] => {
  const names = [...new Set([...bind, ...escalate])].toSorted();
  const grantingKinds = kinds.filter(({ owns }) => owns.some(isOfRbac));
  if (names.length === 0 || grantingKinds.length === 0) return [];
  return [
    `users with write access to ${grantingKinds.map(({ kind }) => kind).join(', ')} can obtain the permissions of ${names.join(', ')}`,
  ];
};
