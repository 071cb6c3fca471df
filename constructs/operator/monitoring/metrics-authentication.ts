import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import type { ClusterRole, ClusterRoleBinding } from 'kubernetes-types/rbac/v1.js';
import { clusterScoped, type OperatorNames, operatorLabels } from '#constructs/operator/names.ts';

const apiGroup = 'rbac.authorization.k8s.io';
const apiVersion = `${apiGroup}/v1` as const;

/**
 * Adds a ClusterRole, which allows the operator to create TokenReviews and SubjectAccessReviews, and its ClusterRoleBinding.
 * Also adds a ClusterRole without a binding, for clients that read the metrics.
 */
export const addMetricsAuthentication = (scope: Construct, names: OperatorNames): void => {
  const labels = operatorLabels(names);
  const metadata = { name: `${names.name}-metrics-authentication`, labels };
  clusterScoped(
    new ApiObject(scope, 'metrics-authentication', {
      apiVersion,
      kind: 'ClusterRole',
      metadata,
      rules: [
        { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
        { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
      ],
    } satisfies ClusterRole),
  );
  clusterScoped(
    new ApiObject(scope, 'metrics-authentication-binding', {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup, kind: 'ClusterRole', name: metadata.name },
      subjects: [{ kind: 'ServiceAccount', name: names.name, namespace: names.namespace }],
    } satisfies ClusterRoleBinding),
  );
  clusterScoped(
    new ApiObject(scope, 'metrics-reader', {
      apiVersion,
      kind: 'ClusterRole',
      metadata: { name: `${names.name}-metrics-reader`, labels },
      rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
    } satisfies ClusterRole),
  );
};
