/** Labels by which the Prometheus of this cluster selects monitors and rules, as on docs/monitoring.md. */
export const RELEASE = { release: 'kube-prometheus-stack' } as const;

/** The namespace of Prometheus and kube-state-metrics. */
export const MONITORING = 'monitoring';

/** The user of the Prometheus Operator; its own rights are not under test. */
export const PROMETHEUS_OPERATOR_USER = { name: 'prometheus-operator', groups: ['system:masters'] } as const;

const monitor = (
  kind: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  spec: object,
) => ({
  apiVersion: 'monitoring.coreos.com/v1',
  kind,
  metadata: { name, namespace, labels: RELEASE },
  spec,
});

/** The rights of Prometheus in kube-prometheus, as far as discovery needs them. */
const discoveryRole = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'prometheus-k8s' },
  rules: [
    { apiGroups: [''], resources: ['services', 'endpoints', 'pods'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['get', 'list', 'watch'] },
  ],
};

const serviceAccount = (name: string) => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name, namespace: MONITORING },
});

const labels = { app: 'kube-state-metrics' };

/** kube-state-metrics as its chart installs it: the series keep their labels. */
const kubeStateMetrics = [
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'kube-state-metrics', namespace: MONITORING, labels },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: 'kube-state-metrics',
          containers: [{ name: 'main', image: 'kube-state-metrics:1', ports: [{ name: 'http', containerPort: 8080 }] }],
        },
      },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kube-state-metrics', namespace: MONITORING, labels },
    spec: { clusterIP: 'None', selector: labels, ports: [{ name: 'http', port: 8080 }] },
  },
  monitor(
    'ServiceMonitor',
    { namespace: MONITORING, name: 'kube-state-metrics' },
    {
      selector: { matchLabels: labels },
      endpoints: [{ port: 'http', honorLabels: true }],
    },
  ),
];

const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

/** The namespace of the rolled-out resources. */
export const SHOP = 'shop';

/** The objects in the cluster before the operator is installed. */
export const clusterObjects: readonly object[] = [
  namespace(MONITORING),
  namespace(SHOP),
  serviceAccount('prometheus-k8s'),
  serviceAccount('kube-state-metrics'),
  discoveryRole,
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'prometheus-k8s' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'prometheus-k8s' },
    subjects: [{ kind: 'ServiceAccount', name: 'prometheus-k8s', namespace: MONITORING }],
  },
  ...kubeStateMetrics,
  monitor(
    'PodMonitor',
    { namespace: SHOP, name: 'web' },
    {
      selector: { matchLabels: { app: 'web' } },
      podMetricsEndpoints: [{ port: 'http' }],
    },
  ),
];
