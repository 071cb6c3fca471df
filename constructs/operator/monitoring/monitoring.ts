import type { Construct } from 'constructs';
import type { OperatorNames } from '#constructs/operator/names.ts';
import type { CheckedProps } from '#constructs/operator/props.ts';
import { addAlerts } from './alerts.ts';
import { addDashboard } from './dashboard.ts';
import { addKubeStateMetrics } from './kube-state-metrics.ts';
import { kubeStateMetricsIn, type MonitoringProps } from './props.ts';
import type { Monitored } from './resource-alerts.ts';
import { addServiceMonitor } from './service-monitor.ts';

/**
 * Adds the objects that the props select: ServiceMonitor, PrometheusRule, dashboard, and the objects for kube-state-metrics.
 */
export const addMonitoring = (
  scope: Construct,
  names: OperatorNames,
  props: Monitored & Pick<CheckedProps, 'metricsAuthentication'> & { readonly monitoring: MonitoringProps },
): void => {
  const { kinds, monitoring, metricsAuthentication } = props;
  const { labels } = monitoring;
  const kubeStateMetrics = kubeStateMetricsIn(monitoring);
  if (monitoring.serviceMonitor) addServiceMonitor(scope, names, { metricsAuthentication, labels });
  if (monitoring.alerts) addAlerts(scope, names, props);
  if (monitoring.dashboard) addDashboard(scope, names);
  if (kubeStateMetrics) addKubeStateMetrics(scope, names, { ...kubeStateMetrics, kinds });
};
