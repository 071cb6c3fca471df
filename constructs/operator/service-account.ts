import { k8s } from 'cdk8s-plus-27';
import type { Construct } from 'constructs';
import { type OperatorNames, operatorLabels } from './names.ts';

/** Who the operator is. Its token is mounted by the Deployment alone, not by every pod that names the account. */
export const addServiceAccount = (scope: Construct, names: OperatorNames): k8s.KubeServiceAccount =>
  new k8s.KubeServiceAccount(scope, 'service-account', {
    metadata: { name: names.name, namespace: names.namespace, labels: operatorLabels(names) },
    automountServiceAccountToken: false,
  });
