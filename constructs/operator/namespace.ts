import { k8s } from 'cdk8s-plus-27';
import type { Construct } from 'constructs';
import { clusterScoped, type OperatorNames, operatorLabels } from './names.ts';

const PodSecurity = 'pod-security.kubernetes.io';

/** The operator's namespace: nothing that breaks the Pod Security level *restricted* can run in it. */
export const addNamespace = (scope: Construct, names: OperatorNames): k8s.KubeNamespace =>
  clusterScoped(
    new k8s.KubeNamespace(scope, 'namespace', {
      metadata: {
        name: names.namespace,
        labels: {
          ...operatorLabels(names),
          [`${PodSecurity}/enforce`]: 'restricted',
          [`${PodSecurity}/audit`]: 'restricted',
          [`${PodSecurity}/warn`]: 'restricted',
        },
      },
    }),
  );
