import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import type { Role, RoleBinding } from 'kubernetes-types/rbac/v1.js';
import { type OperatorNames, operatorLabels } from '#constructs/operator/names.ts';
import { mutable, type Rights } from './cluster-role.ts';

/** The rights of an operator in one namespace. */
export interface NamespaceRights extends Rights {
  readonly namespace: string;
}

/** Adds the rights of the operator in one of its namespaces. The namespace must exist. */
export const addNamespaceRole = (
  scope: Construct,
  names: OperatorNames,
  { namespace, rules, annotations }: NamespaceRights,
): void => {
  if (rules.length === 0) return;
  const metadata = { name: names.name, namespace, labels: operatorLabels(names), ...(annotations && { annotations }) };
  new ApiObject(scope, `role-${namespace}`, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata,
    rules: rules.map(mutable),
  } satisfies Role);
  new ApiObject(scope, `role-binding-${namespace}`, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: names.name },
    subjects: [{ kind: 'ServiceAccount', name: names.name, namespace: names.namespace }],
  } satisfies RoleBinding);
};
