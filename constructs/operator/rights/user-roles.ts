import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import type { ClusterRole } from 'kubernetes-types/rbac/v1.js';
import { clusterScoped, type OperatorNames, operatorLabels } from '#constructs/operator/names.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { namesOf } from '#lib/kind/names.ts';
import { kindsBeyondEdit } from './escalation.ts';

/** The verbs are those of the default ClusterRoles `view` and `edit`. */
const roles = [
  { name: 'view', verbs: ['get', 'list', 'watch'] },
  { name: 'edit', verbs: ['create', 'delete', 'deletecollection', 'patch', 'update'] },
] as const;

const pluralsByGroup = (kinds: readonly AnyKindDefinition[]): ReadonlyMap<string, readonly AnyKindDefinition[]> =>
  Map.groupBy(kinds, ({ group }) => group);

const resourcesOf = (kinds: readonly AnyKindDefinition[], verb: 'view' | 'edit'): string[] =>
  kinds
    .flatMap((kind) => {
      const { plural } = namesOf(kind);
      const readable = verb === 'view' ? [`${plural}/status`] : [];
      return [plural, ...readable, ...(kind.scale ? [`${plural}/scale`] : [])];
    })
    .toSorted();

/** The kinds that users with the ClusterRole `edit` may write, without rights that this role does not have. */
const editable = (kinds: readonly AnyKindDefinition[]): readonly AnyKindDefinition[] => {
  const beyond = new Set(kindsBeyondEdit(kinds));
  return kinds.filter((kind) => !beyond.has(kind));
};

/** One sentence for each kind that `userRoles` leaves out of the ClusterRole `edit`. */
export const userRoleWarnings = (kinds: readonly AnyKindDefinition[]): readonly string[] =>
  kindsBeyondEdit(kinds).map(
    ({ kind }) =>
      `userRoles does not add ${kind} to the roles edit and admin, because its authors gain rights that these roles do not have (see Operator.escalations): add a role of your own for users that may write it`,
  );

/**
 * Adds two ClusterRoles, which add rights on the kinds to the ClusterRoles `view`, `edit` and `admin`. Neither has the right to
 * write a status. The rights to write are only for the kinds that {@link userRoleWarnings} does not name.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#aggregated-clusterroles
 */
export const addUserRoles = (scope: Construct, names: OperatorNames, kinds: readonly AnyKindDefinition[]): void => {
  for (const { name, verbs } of roles) {
    const aggregated = name === 'view' ? ['view', 'edit', 'admin'] : ['edit', 'admin'];
    const labels = Object.fromEntries(
      aggregated.map((role) => [`rbac.authorization.k8s.io/aggregate-to-${role}`, 'true']),
    );
    clusterScoped(
      new ApiObject(scope, `${name}-role`, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: `${names.name}-${name}`, labels: { ...operatorLabels(names), ...labels } },
        rules: [...pluralsByGroup(name === 'view' ? kinds : editable(kinds))]
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([group, ofGroup]) => ({
            apiGroups: [group],
            resources: resourcesOf(ofGroup, name),
            verbs: [...verbs],
          })),
      } satisfies ClusterRole),
    );
  }
};
