import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import { type OperatorNames, operatorLabels } from '#constructs/operator/names.ts';
import type { Alert } from './alert.ts';
import type { MonitoringProps } from './props.ts';
import { type Monitored, resourceAlerts } from './resource-alerts.ts';
import { seriesOf } from './series.ts';

const processAlerts = (series: string): readonly Alert[] => [
  {
    alert: 'OperatorDown',
    expr: `absent(up{${series}} == 1)`,
    for: '10m',
    severity: 'critical',
    summary: 'No replica of the operator answers',
    description: 'Changes of its resources have no effect. Look at the pods of its Deployment.',
  },
  {
    alert: 'OperatorWithoutLeader',
    // While a process restarts, the first expression has no series, so the time of `for` would start again. The expression
    // after `or` stays true, because it covers the last 30 minutes.
    expr: `max(leader_election_master_status{${series}}) == 0 or max(max_over_time(leader_election_master_status{${series}}[30m])) == 0`,
    for: '5m',
    severity: 'critical',
    summary: 'No replica of the operator leads',
    description:
      'Replicas run, and none works. Look at the Lease of the operator, at its rights on it, and at the log.',
  },
  {
    alert: 'OperatorRestarts',
    expr: `max by (pod) (changes(process_start_time_seconds{${series}}[1h])) > 3`,
    for: '0m',
    severity: 'warning',
    summary: 'The process in {{ $labels.pod }} ended four times within an hour',
    description: 'Look at the last lines of the log of the container before this one, and at its exit code and memory.',
  },
];

const passAlerts = (series: string): readonly Alert[] => [
  {
    alert: 'OperatorReconcileErrors',
    expr: `sum by (controller) (rate(controller_runtime_reconcile_errors_total{${series}}[10m])) > 0.1`,
    for: '15m',
    severity: 'warning',
    summary: 'Passes over {{ $labels.controller }} fail',
    description: 'Look at the condition Stalled and at the events of its resources.',
  },
  {
    alert: 'OperatorResourceFails',
    // The loop retries failed passes within five minutes. If a resource always fails, each window of 15 minutes therefore has
    // an error.
    expr: `sum by (controller) (increase(controller_runtime_reconcile_errors_total{${series}}[15m])) > 0`,
    for: '1h',
    severity: 'warning',
    summary: 'A resource of {{ $labels.controller }} has failed for an hour',
    description: 'One is enough. Look for the condition Stalled, and for warnings among the events.',
  },
  {
    alert: 'OperatorKindPanics',
    expr: `sum by (controller) (increase(controller_runtime_reconcile_panics_total{${series}}[15m])) > 0`,
    for: '0m',
    severity: 'warning',
    summary: 'The function of {{ $labels.controller }} threw',
    description: 'A mistake in the kind: the log of the operator names the resource and the error.',
  },
  {
    alert: 'OperatorQueueStuck',
    expr: `max by (controller) (workqueue_longest_running_processor_seconds{${series}}) > 120`,
    for: '5m',
    severity: 'warning',
    summary: 'A pass over {{ $labels.controller }} takes minutes',
    description: 'The API server answers slowly or not at all.',
  },
];

const watchAlerts = (series: string): readonly Alert[] => [
  {
    alert: 'OperatorWatchSilent',
    expr: `max by (resource) (cdk8s_reconcile_watch_silence_seconds{${series}}) > 300`,
    for: '5m',
    severity: 'warning',
    summary: 'The operator receives no watch events of {{ $labels.resource }}',
    description: 'Bookmarks are expected every minute. Check the log for watch errors and missing permissions.',
  },
  {
    alert: 'OperatorWatchRefused',
    expr: `max by (resource) (cdk8s_reconcile_watch_refused{${series}}) > 0`,
    for: '5m',
    severity: 'warning',
    summary: 'The API server refuses the operator {{ $labels.resource }}',
    description:
      'Kinds that need it wait, all others work. Apply the CustomResourceDefinitions and the rights of the bundle; the log has the namespace and the reason.',
  },
];

const ruleOf = ({ severity, summary, description, ...rule }: Alert, labels: Readonly<Record<string, string>>) => ({
  ...rule,
  labels: { severity, ...labels },
  annotations: { summary, description },
});

/**
 * Adds a PrometheusRule with alerts about the operator, and about its resources if kube-state-metrics is configured. The CRDs
 * of the Prometheus Operator must be installed. Each alert has the name and namespace of the operator as labels, because
 * aggregations drop the labels of series.
 */
export const addAlerts = (
  scope: Construct,
  names: OperatorNames,
  { monitoring, ...monitored }: Monitored & { readonly monitoring: MonitoringProps },
): ApiObject => {
  const { name, namespace } = names;
  const series = seriesOf(names);
  const own = { operator: name, operator_namespace: namespace };
  const ofOperator = [...processAlerts(series), ...passAlerts(series), ...watchAlerts(series)];
  // Alerts about resources keep the label `namespace` of the resource.
  const ofResources = resourceAlerts(monitored, monitoring).map((alert) => ruleOf(alert, own));
  return new ApiObject(scope, 'alerts', {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name, namespace, labels: { ...operatorLabels(names), ...monitoring.labels } },
    spec: {
      groups: [
        { name, rules: ofOperator.map((alert) => ruleOf(alert, { ...own, namespace })) },
        ...(ofResources.length === 0 ? [] : [{ name: `${name}-resources`, rules: ofResources }]),
      ],
    },
  });
};
