import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import type { ServiceAccount } from 'kubernetes-types/core/v1.js';
import { type OperatorNames, operatorLabels } from '#constructs/operator/names.ts';

/**
 * Adds the ServiceAccount of the operator. The token is not mounted automatically, because the Deployment mounts it only in the
 * container of the operator.
 */
export const addServiceAccount = (scope: Construct, names: OperatorNames): ApiObject =>
  new ApiObject(scope, 'service-account', {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: names.name, namespace: names.namespace, labels: operatorLabels(names) },
    automountServiceAccountToken: false,
  } satisfies ServiceAccount);
