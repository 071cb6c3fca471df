import { k8s } from 'cdk8s-plus-27';
import type { Construct } from 'constructs';
import { type OperatorNames, operatorLabels } from './names.ts';

/**
 * What an operator needs to run for leader: one lease in its own namespace, by name. Creation by an apply is authorized with
 * the name, so that no other lease can be made either.
 */
export const addLeaseRole = (scope: Construct, names: OperatorNames): void => {
  const metadata = { name: `${names.name}-leader-election`, namespace: names.namespace, labels: operatorLabels(names) };
  new k8s.KubeRole(scope, 'lease-role', {
    metadata,
    rules: [
      {
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
        resourceNames: [names.name],
        verbs: ['create', 'get', 'patch'],
      },
    ],
  });
  new k8s.KubeRoleBinding(scope, 'lease-role-binding', {
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: metadata.name },
    subjects: [{ kind: 'ServiceAccount', name: names.name, namespace: names.namespace }],
  });
};
