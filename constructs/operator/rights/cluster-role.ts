import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import type { ClusterRole, ClusterRoleBinding, PolicyRule as KubePolicyRule } from 'kubernetes-types/rbac/v1.js';
import { clusterScoped, type OperatorNames, operatorLabels } from '#constructs/operator/names.ts';
import type { PolicyRule } from '#lib/desired/rights/policy-rules.ts';

/** The rules of a role, and its annotations. */
export interface Rights {
  readonly rules: readonly PolicyRule[];
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * Adds a ClusterRole with these rules, and its ClusterRoleBinding to the ServiceAccount of the operator. Without rules, adds
 * nothing.
 */
export const addClusterRole = (scope: Construct, names: OperatorNames, { rules, annotations }: Rights): void => {
  if (rules.length === 0) return;
  const metadata = { name: names.name, labels: operatorLabels(names), ...(annotations && { annotations }) };
  clusterScoped(
    new ApiObject(scope, 'cluster-role', {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata,
      rules: rules.map(mutableRule),
    } satisfies ClusterRole),
  );
  clusterScoped(
    new ApiObject(scope, 'cluster-role-binding', {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: names.name },
      subjects: [{ kind: 'ServiceAccount', name: names.name, namespace: names.namespace }],
    } satisfies ClusterRoleBinding),
  );
};

/** Copies a rule, because `kubernetes-types` requires mutable arrays. */
export const mutableRule = ({ apiGroups, resources, resourceNames, verbs }: PolicyRule): KubePolicyRule => ({
  apiGroups: [...apiGroups],
  resources: [...resources],
  ...(resourceNames && { resourceNames: [...resourceNames] }),
  verbs: [...verbs],
});
