import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import type { Role, RoleBinding } from 'kubernetes-types/rbac/v1.js';
import { type OperatorNames, operatorLabels } from '#constructs/operator/names.ts';

/**
 * Adds a Role for the Lease of the leader election, and its RoleBinding. The rule names the Lease, also for its create, because
 * the operator creates the Lease by a server-side apply.
 */
export const addLeaseRole = (scope: Construct, names: OperatorNames): void => {
  const metadata = { name: `${names.name}-leader-election`, namespace: names.namespace, labels: operatorLabels(names) };
  new ApiObject(scope, 'lease-role', {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata,
    rules: [
      {
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
        resourceNames: [names.name],
        verbs: ['create', 'get', 'patch'],
      },
    ],
  } satisfies Role);
  new ApiObject(scope, 'lease-role-binding', {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: metadata.name },
    subjects: [{ kind: 'ServiceAccount', name: names.name, namespace: names.namespace }],
  } satisfies RoleBinding);
};
