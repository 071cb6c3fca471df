import { k8s } from 'cdk8s-plus-27';
import type { Construct } from 'constructs';
import type { PolicyRule } from '#lib/desired/policy-rules.ts';
import { clusterScoped, type OperatorNames, operatorLabels } from './names.ts';

/** What an operator may do, and what reviewers should know about it. */
export interface Rights {
  readonly rules: readonly PolicyRule[];
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The operator's rights in all namespaces, and on what is in none; without rules, nothing is made. */
export const addClusterRole = (scope: Construct, names: OperatorNames, { rules, annotations }: Rights): void => {
  if (rules.length === 0) return;
  const metadata = { name: names.name, labels: operatorLabels(names), ...(annotations && { annotations }) };
  clusterScoped(new k8s.KubeClusterRole(scope, 'cluster-role', { metadata, rules: rules.map(mutable) }));
  clusterScoped(
    new k8s.KubeClusterRoleBinding(scope, 'cluster-role-binding', {
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: names.name },
      subjects: [{ kind: 'ServiceAccount', name: names.name, namespace: names.namespace }],
    }),
  );
};

/** cdk8s takes arrays that it could change. */
export const mutable = ({ apiGroups, resources, verbs }: PolicyRule): k8s.PolicyRule => ({
  apiGroups: [...apiGroups],
  resources: [...resources],
  verbs: [...verbs],
});
