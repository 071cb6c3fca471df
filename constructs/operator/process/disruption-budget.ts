import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import { type OperatorNames, operatorLabels, operatorSelector } from '#constructs/operator/names.ts';

/**
 * Adds a PodDisruptionBudget, which allows the eviction of a ready replica only while another replica is ready. A replica that is
 * not ready can always be evicted, so a broken operator does not block a drain.
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
