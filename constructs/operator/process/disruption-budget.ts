import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import { type OperatorNames, operatorLabels, operatorSelector } from '#constructs/operator/names.ts';

/**
 * Nodes are drained one replica at a time, so that a standby is always there. A replica that is not ready may always go: else a
 * broken operator would hold up the drain of a node for ever.
 *
 * @see https://kubernetes.io/docs/tasks/run-application/configure-pdb/#unhealthy-pod-eviction-policy
 */
export const addDisruptionBudget = (scope: Construct, names: OperatorNames): ApiObject =>
  new ApiObject(scope, 'disruption-budget', {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: names.name, namespace: names.namespace, labels: operatorLabels(names) },
    spec: {
      maxUnavailable: 1,
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: { matchLabels: operatorSelector(names) },
    },
  } satisfies PodDisruptionBudget);
