/** The options of kube-state-metrics, and of the alerts about single resources. */
export interface KubeStateMetricsProps {
  /**
   * The namespace of the ConfigMap, where kube-state-metrics can mount it: a DNS label. @default the namespace of the operator
   */
  readonly namespace?: string;
  /** Minutes until an alert fires for a resource that is not ready: 1 to 1440. @default 15 */
  readonly notReadyMinutes?: number;
}

/** Options of the objects for monitoring. */
export interface MonitoringProps {
  /** Whether to add a ServiceMonitor of monitoring.coreos.com. @default false */
  readonly serviceMonitor?: boolean;
  /**
   * Whether to add a PrometheusRule of monitoring.coreos.com with alerts. The alerts about the operator select series by the
   * labels `job` and `namespace`, which the ServiceMonitor sets.
   *
   * @default false
   */
  readonly alerts?: boolean;
  /** Whether to add a ConfigMap with a dashboard, which Grafana's sidecar loads (label `grafana_dashboard`). @default false */
  readonly dashboard?: boolean;
  /**
   * Labels of ServiceMonitor and PrometheusRule, by which a Prometheus selects them, such as `{ release:
   * 'kube-prometheus-stack' }`. They replace labels of the bundle with the same names.
   *
   * @default only the labels of the bundle
   */
  readonly labels?: Readonly<Record<string, string>>;
  /**
   * Whether to add a ConfigMap and a ClusterRole for kube-state-metrics, which then serves the conditions and generations of
   * every resource. With `alerts`, the bundle also has alerts about single resources.
   *
   * @default false
   */
  readonly kubeStateMetrics?: boolean | KubeStateMetricsProps;
}

/** Returns the options of kube-state-metrics; `undefined` if kube-state-metrics is not configured. */
export const kubeStateMetricsIn = ({
  kubeStateMetrics = false,
}: MonitoringProps): KubeStateMetricsProps | undefined => {
  if (kubeStateMetrics === false) return undefined;
  return kubeStateMetrics === true ? {} : kubeStateMetrics;
};
