import { ApiObject, Yaml } from 'cdk8s';
import type { Construct } from 'constructs';
import type { ConfigMap } from 'kubernetes-types/core/v1.js';
import type { ClusterRole } from 'kubernetes-types/rbac/v1.js';
import { clusterScoped, type OperatorNames, operatorLabels } from '#constructs/operator/names.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { namesOf } from '#lib/kind/names.ts';
import type { KubeStateMetricsProps } from './props.ts';

const PREFIX = 'cdk8s_reconcile_resource';

/** The metric of conditions, with the labels `type` and `reason`: 1 if the condition is True, 0 if it is False or Unknown. */
export const CONDITION = `${PREFIX}_condition`;
/** The metric of `metadata.generation`, which the API server increases with each change of the spec. */
export const GENERATION = `${PREFIX}_generation`;
/** The metric of `status.observedGeneration`. The value is -1 until the operator first writes the status. */
export const OBSERVED_GENERATION = `${PREFIX}_observed_generation`;

const gauge = (name: string, help: string, how: object) => ({
  name: name.slice(PREFIX.length + 1),
  help,
  each: { type: 'Gauge', gauge: how },
});

const metrics = [
  gauge(CONDITION, 'Whether a condition holds, by type and reason: 1 for True, 0 for False and Unknown.', {
    path: ['status', 'conditions'],
    labelsFromPath: { type: ['type'], reason: ['reason'] },
    valueFrom: ['status'],
  }),
  gauge(GENERATION, 'Counts the changes of the spec.', { path: ['metadata', 'generation'] }),
  gauge(OBSERVED_GENERATION, 'The generation that the status is about, -1 before the operator has looked.', {
    path: ['status', 'observedGeneration'],
    nilIsZero: true,
  }),
];

/**
 * Makes the configuration of kube-state-metrics for resources of some kinds: conditions, generation and observed generation.
 *
 * @returns a CustomResourceStateMetrics, for a file or for the values of a Helm chart. To combine several operators,
 *   concatenate their lists `spec.resources`
 * @see https://github.com/kubernetes/kube-state-metrics/blob/main/docs/metrics/extend/customresourcestate-metrics.md
 * @example
 * const values = { customResourceState: { enabled: true, config: kubeStateMetricsConfig([podSet]) } };
 */
export const kubeStateMetricsConfig = (kinds: readonly AnyKindDefinition[]) => ({
  kind: 'CustomResourceStateMetrics',
  spec: {
    resources: kinds.map(({ group, version, kind }) => ({
      groupVersionKind: { group, version, kind },
      metricNamePrefix: PREFIX,
      labelsFromPath: { namespace: ['metadata', 'namespace'], name: ['metadata', 'name'] },
      metrics,
    })),
  },
});

const VERBS = ['list', 'watch'];

/**
 * There is no binding, because the namespace and the ServiceAccount of kube-state-metrics are unknown: an administrator binds
 * the role.
 */
const addReader = (scope: Construct, names: OperatorNames, kinds: readonly AnyKindDefinition[]): void => {
  const byGroup = [...Map.groupBy(kinds, ({ group }) => group)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  clusterScoped(
    new ApiObject(scope, 'kube-state-metrics-reader', {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: `${names.name}-kube-state-metrics`, labels: operatorLabels(names) },
      rules: [
        { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: VERBS },
        ...byGroup.map(([group, ofGroup]) => ({
          apiGroups: [group],
          resources: ofGroup.map((kind) => namesOf(kind).plural).toSorted(),
          verbs: VERBS,
        })),
      ],
    } satisfies ClusterRole),
  );
};

/**
 * Adds a ConfigMap with the configuration of kube-state-metrics, and a ClusterRole without a binding for kube-state-metrics.
 */
export const addKubeStateMetrics = (
  scope: Construct,
  names: OperatorNames,
  { kinds, namespace = names.namespace }: KubeStateMetricsProps & { readonly kinds: readonly AnyKindDefinition[] },
): void => {
  new ApiObject(scope, 'kube-state-metrics', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${names.name}-kube-state-metrics`, namespace, labels: operatorLabels(names) },
    data: { 'config.yaml': Yaml.stringify(kubeStateMetricsConfig(kinds)) },
  } satisfies ConfigMap);
  addReader(scope, names, kinds);
};
