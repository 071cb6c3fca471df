import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import { type OperatorNames, operatorLabels, operatorSelector } from './names.ts';

/** Has the Prometheus Operator scrape every replica; the kinds of monitoring.coreos.com must be installed. */
export const addServiceMonitor = (scope: Construct, names: OperatorNames): ApiObject =>
  new ApiObject(scope, 'service-monitor', {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'ServiceMonitor',
    metadata: { name: names.name, namespace: names.namespace, labels: operatorLabels(names) },
    spec: {
      selector: { matchLabels: operatorSelector(names) },
      endpoints: [{ port: 'metrics', interval: '30s' }],
    },
  });
