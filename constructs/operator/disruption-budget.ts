import { k8s } from 'cdk8s-plus-27';
import type { Construct } from 'constructs';
import { type OperatorNames, operatorLabels, operatorSelector } from './names.ts';

/**
 * Nodes are drained one replica at a time, so that a standby is always there. A replica that is not ready may always go: else a
 * broken operator would hold up the drain of a node for ever.
 *
 * @see https://kubernetes.io/docs/tasks/run-application/configure-pdb/#unhealthy-pod-eviction-policy
 */
export const addDisruptionBudget = (scope: Construct, names: OperatorNames): k8s.KubePodDisruptionBudget =>
  new k8s.KubePodDisruptionBudget(scope, 'disruption-budget', {
    metadata: { name: names.name, namespace: names.namespace, labels: operatorLabels(names) },
    spec: {
      maxUnavailable: k8s.IntOrString.fromNumber(1),
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: { matchLabels: operatorSelector(names) },
    },
  });
