import { k8s } from 'cdk8s-plus-27';
import type { Construct } from 'constructs';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { clusterScoped, type OperatorNames, operatorLabels } from './names.ts';
import { policyRules } from './rules.ts';

/** The operator's rights in all namespaces: what its kinds need and nothing else. */
export const addClusterRole = (
  scope: Construct,
  names: OperatorNames,
  kinds: readonly AnyKindDefinition[],
): k8s.KubeClusterRole =>
  clusterScoped(
    new k8s.KubeClusterRole(scope, 'cluster-role', {
      metadata: { name: names.name, labels: operatorLabels(names) },
      rules: policyRules(kinds).map(({ apiGroups, resources, verbs }) => ({
        apiGroups: [...apiGroups],
        resources: [...resources],
        verbs: [...verbs],
      })),
    }),
  );
