import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import type { Namespace } from 'kubernetes-types/core/v1.js';
import { clusterScoped, type OperatorNames, operatorLabels } from './names.ts';

const PodSecurity = 'pod-security.kubernetes.io';

/** Adds the namespace of the operator, with the Pod Security level *restricted*. */
export const addNamespace = (scope: Construct, names: OperatorNames): ApiObject =>
  clusterScoped(
    new ApiObject(scope, 'namespace', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name: names.namespace,
        labels: {
          ...operatorLabels(names),
          [`${PodSecurity}/enforce`]: 'restricted',
          [`${PodSecurity}/audit`]: 'restricted',
          [`${PodSecurity}/warn`]: 'restricted',
        },
      },
    } satisfies Namespace),
  );
