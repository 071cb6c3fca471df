import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import type { Role, RoleBinding } from 'kubernetes-types/rbac/v1.js';
import { type OperatorNames, operatorLabels } from '#constructs/operator/names.ts';
import { mutableRule, type Rights } from './cluster-role.ts';

/** The rules and annotations of a Role, and its namespace. */
export interface NamespaceRights extends Rights {
  readonly namespace: string;
  /** The end of the names of the Role and its binding, such as `-elsewhere`. @default none */
  readonly suffix?: string;
}

/**
 * Adds a Role with these rules, and its RoleBinding to the ServiceAccount of the operator. Without rules, adds nothing. The
 * bundle does not create the namespace.
 */
export const addNamespaceRole = (
  scope: Construct,
  names: OperatorNames,
  { namespace, rules, annotations, suffix = '' }: NamespaceRights,
): void => {
  if (rules.length === 0) return;
  const name = `${names.name}${suffix}`;
  const metadata = { name, namespace, labels: operatorLabels(names), ...(annotations && { annotations }) };
  new ApiObject(scope, `role${suffix}-${namespace}`, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata,
    rules: rules.map(mutableRule),
  } satisfies Role);
  new ApiObject(scope, `role-binding${suffix}-${namespace}`, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
    subjects: [{ kind: 'ServiceAccount', name: names.name, namespace: names.namespace }],
  } satisfies RoleBinding);
};
