import type { OperatorProps } from '#constructs/operator/operator.ts';

/** Props of an operator, and their faults. */
export interface BadOperator {
  readonly reason: string;
  readonly props: Partial<OperatorProps>;
  readonly rule: string;
  readonly path: string;
}

/** Invalid addresses of servers that an operator calls, and invalid settings of its monitoring. */
export const BAD_SURROUNDINGS: readonly BadOperator[] = [
  {
    reason: 'its log has no such level',
    props: { logLevel: 'verbose' as 'debug' },
    rule: 'log-level',
    path: 'logLevel',
  },
  {
    reason: 'its pod guard has no such word',
    props: { podGuard: 'maybe' as 'warn' },
    rule: 'pod-guard',
    path: 'podGuard',
  },
  { reason: 'its events have no such word', props: { events: 'some' as 'all' }, rule: 'events', path: 'events' },
  {
    reason: 'its certificate has no such source',
    props: { conversion: { certificate: 'certmanager' as 'own' } },
    rule: 'conversion',
    path: 'conversion.certificate',
  },
  { reason: 'it may do nothing at once', props: { concurrency: 0 }, rule: 'tuning', path: 'concurrency' },
  {
    reason: 'a time limit is no number',
    props: { readTimeoutSeconds: Number.NaN },
    rule: 'tuning',
    path: 'readTimeoutSeconds',
  },
  { reason: 'its name is that of a ClusterRole', props: { name: 'cluster-admin' }, rule: 'name', path: 'name' },
  {
    reason: 'a host is a metadata service',
    props: { effects: { webhookHosts: ['169.254.169.254'] } },
    rule: 'effect-hosts',
    path: 'effects.webhookHosts',
  },
  {
    reason: 'a write may outlast the lease',
    props: { writeTimeoutSeconds: 11 },
    rule: 'tuning',
    path: 'writeTimeoutSeconds',
  },
  {
    reason: 'a host is a URL',
    props: { effects: { allowedHosts: ['https://a.b'] } },
    rule: 'effect-hosts',
    path: 'effects.allowedHosts',
  },
  {
    reason: 'a label of the ServiceMonitor is none',
    props: { monitoring: { serviceMonitor: true, labels: { release: 'kube prometheus' } } },
    rule: 'monitoring',
    path: 'monitoring.labels',
  },
  {
    reason: 'kube-state-metrics is in no namespace',
    props: { monitoring: { kubeStateMetrics: { namespace: 'Monitoring' } } },
    rule: 'monitoring',
    path: 'monitoring.kubeStateMetrics.namespace',
  },
  {
    reason: 'an alert would wait for ever',
    props: { monitoring: { kubeStateMetrics: { notReadyMinutes: Infinity } } },
    rule: 'monitoring',
    path: 'monitoring.kubeStateMetrics.notReadyMinutes',
  },
  {
    reason: 'certificates come from two objects',
    props: { effects: { metricHosts: ['a.b'], certificateAuthority: { configMapName: 'a', secretName: 'b' } } },
    rule: 'certificate-authority',
    path: 'effects.certificateAuthority',
  },
  {
    reason: 'certificates come from no object',
    props: { effects: { metricHosts: ['a.b'], certificateAuthority: { key: 'ca.crt' } } },
    rule: 'certificate-authority',
    path: 'effects.certificateAuthority',
  },
  {
    reason: 'the key of certificates leads out of its folder',
    props: { effects: { metricHosts: ['a.b'], certificateAuthority: { configMapName: 'a', key: '../x' } } },
    rule: 'certificate-authority',
    path: 'effects.certificateAuthority',
  },
  {
    reason: 'the Prometheus is a webhook host alone',
    props: { effects: { webhookHosts: ['c.d:80'], prometheusUrl: 'http://c.d' } },
    rule: 'prometheus-url',
    path: 'effects.prometheusUrl',
  },
  {
    reason: 'the Prometheus is not allowed',
    props: { effects: { allowedHosts: ['a.b'], prometheusUrl: 'http://c.d' } },
    rule: 'prometheus-url',
    path: 'effects.prometheusUrl',
  },
];
