import { k8s } from 'cdk8s-plus-27';
import type { Construct } from 'constructs';
import { type OperatorNames, operatorLabels, operatorSelector } from './names.ts';
import { METRICS_PORT } from './ports.ts';

/** The metrics of all replicas; without an address of its own, so that each is scraped, the standby as well. */
export const addMetricsService = (scope: Construct, names: OperatorNames): k8s.KubeService =>
  new k8s.KubeService(scope, 'metrics-service', {
    metadata: { name: `${names.name}-metrics`, namespace: names.namespace, labels: operatorLabels(names) },
    spec: {
      clusterIp: 'None',
      selector: operatorSelector(names),
      ports: [
        { name: 'metrics', port: METRICS_PORT, targetPort: k8s.IntOrString.fromString('metrics'), protocol: 'TCP' },
      ],
    },
  });
