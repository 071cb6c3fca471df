import { k8s } from 'cdk8s-plus-27';
import type { Construct } from 'constructs';
import { mutable, type Rights } from './cluster-role.ts';
import { type OperatorNames, operatorLabels } from './names.ts';

/** Where an operator works, and what it may do there. */
export interface NamespaceRights extends Rights {
  readonly namespace: string;
}

/** The operator's rights in one namespace that it works in. The namespace itself is somebody else's. */
export const addNamespaceRole = (
  scope: Construct,
  names: OperatorNames,
  { namespace, rules, annotations }: NamespaceRights,
): void => {
  if (rules.length === 0) return;
  const metadata = { name: names.name, namespace, labels: operatorLabels(names), ...(annotations && { annotations }) };
  new k8s.KubeRole(scope, `role-${namespace}`, { metadata, rules: rules.map(mutable) });
  new k8s.KubeRoleBinding(scope, `role-binding-${namespace}`, {
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: names.name },
    subjects: [{ kind: 'ServiceAccount', name: names.name, namespace: names.namespace }],
  });
};
