import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import type { Service } from 'kubernetes-types/core/v1.js';
import { type OperatorNames, operatorLabels, operatorSelector } from '#constructs/operator/names.ts';
import { METRICS_PORT } from '#constructs/operator/process/ports.ts';

/** Adds a Service for the metrics. The Service is headless, so that Prometheus scrapes each replica and not only the leader. */
export const addMetricsService = (scope: Construct, names: OperatorNames): ApiObject =>
  new ApiObject(scope, 'metrics-service', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: `${names.name}-metrics`, namespace: names.namespace, labels: operatorLabels(names) },
    spec: {
      clusterIP: 'None',
      selector: operatorSelector(names),
      ports: [{ name: 'metrics', port: METRICS_PORT, targetPort: 'metrics', protocol: 'TCP' }],
    },
  } satisfies Service);
