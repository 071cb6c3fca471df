import { k8s } from 'cdk8s-plus-27';
import type { Construct } from 'constructs';
import { clusterScoped, type OperatorNames, operatorLabels } from './names.ts';

/** Gives the rights to the operator's ServiceAccount. */
export const addClusterRoleBinding = (scope: Construct, names: OperatorNames): k8s.KubeClusterRoleBinding =>
  clusterScoped(
    new k8s.KubeClusterRoleBinding(scope, 'cluster-role-binding', {
      metadata: { name: names.name, labels: operatorLabels(names) },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: names.name },
      subjects: [{ kind: 'ServiceAccount', name: names.name, namespace: names.namespace }],
    }),
  );
