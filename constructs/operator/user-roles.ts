import { k8s } from 'cdk8s-plus-27';
import type { Construct } from 'constructs';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { namesOf } from '#lib/kind/names.ts';
import { clusterScoped, type OperatorNames, operatorLabels } from './names.ts';

/** The roles that every cluster has for people, and what they may do with resources; as the cluster's own are made. */
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

/**
 * What people may do with the kinds, added to the cluster's roles `view`, `edit` and `admin`: whoever has one of them in a
 * namespace has it for these kinds, too. Nobody is given the right to write a status.
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
      new k8s.KubeClusterRole(scope, `${name}-role`, {
        metadata: { name: `${names.name}-${name}`, labels: { ...operatorLabels(names), ...labels } },
        rules: [...pluralsByGroup(kinds)]
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([group, ofGroup]) => ({
            apiGroups: [group],
            resources: resourcesOf(ofGroup, name),
            verbs: [...verbs],
          })),
      }),
    );
  }
};
