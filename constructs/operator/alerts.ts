import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import { type OperatorNames, operatorLabels } from './names.ts';

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly severity: 'warning' | 'critical';
  readonly summary: string;
  readonly description: string;
}

/** What somebody should look at; each names what to do. Series of the operator are told by `job`, as the ServiceMonitor sets it. */
const alertsOf = (job: string): readonly Alert[] => [
  {
    alert: 'OperatorDown',
    expr: `absent(up{job="${job}"} == 1)`,
    for: '10m',
    severity: 'critical',
    summary: 'No replica of the operator answers',
    description: 'Changes of its resources have no effect. Look at the pods of its Deployment.',
  },
  {
    alert: 'OperatorWithoutLeader',
    expr: `max(leader_election_master_status{job="${job}"}) == 0`,
    for: '5m',
    severity: 'critical',
    summary: 'No replica of the operator leads',
    description: 'Replicas run, and none works. Look at the Lease of the operator and at its rights on it.',
  },
  {
    alert: 'OperatorReconcileErrors',
    expr: `sum by (controller) (rate(controller_runtime_reconcile_errors_total{job="${job}"}[10m])) > 0.1`,
    for: '15m',
    severity: 'warning',
    summary: 'Passes over {{ $labels.controller }} fail',
    description: 'Look at the condition Stalled and at the events of its resources.',
  },
  {
    alert: 'OperatorKindPanics',
    expr: `sum by (controller) (increase(controller_runtime_reconcile_panics_total{job="${job}"}[15m])) > 0`,
    for: '0m',
    severity: 'warning',
    summary: 'The function of {{ $labels.controller }} threw',
    description: 'A mistake in the kind: the log of the operator names the resource and the error.',
  },
  {
    alert: 'OperatorQueueStuck',
    expr: `max by (controller) (workqueue_longest_running_processor_seconds{job="${job}"}) > 120`,
    for: '5m',
    severity: 'warning',
    summary: 'A pass over {{ $labels.controller }} takes minutes',
    description: 'The API server answers slowly or not at all.',
  },
  {
    alert: 'OperatorWatchSilent',
    expr: `max by (resource) (cdk8s_reconcile_watch_silence_seconds{job="${job}"}) > 300`,
    for: '5m',
    severity: 'warning',
    summary: 'The operator hears nothing about {{ $labels.resource }}',
    description: 'Bookmarks should come every minute. Look at the log for watch errors and missing rights.',
  },
];

/** Alerts about the operator for the Prometheus Operator; the kinds of monitoring.coreos.com must be installed. */
export const addAlerts = (scope: Construct, names: OperatorNames): ApiObject =>
  new ApiObject(scope, 'alerts', {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: names.name, namespace: names.namespace, labels: operatorLabels(names) },
    spec: {
      groups: [
        {
          name: names.name,
          rules: alertsOf(`${names.name}-metrics`).map(({ severity, summary, description, ...rule }) => ({
            ...rule,
            labels: { severity },
            annotations: { summary, description },
          })),
        },
      ],
    },
  });
