import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import { type OperatorNames, operatorLabels, operatorSelector } from '#constructs/operator/names.ts';

/** Prometheus sends the token of its own ServiceAccount, and does not verify the self-signed certificate of the operator. */
const AUTHENTICATED = {
  scheme: 'https',
  tlsConfig: { insecureSkipVerify: true },
  bearerTokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token',
};

interface ServiceMonitorOptions {
  readonly metricsAuthentication?: boolean | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/**
 * Adds a ServiceMonitor, which makes Prometheus scrape each replica every 30 s. The CRDs of the Prometheus Operator must be
 * installed.
 */
export const addServiceMonitor = (
  scope: Construct,
  names: OperatorNames,
  { metricsAuthentication = false, labels }: ServiceMonitorOptions,
): ApiObject =>
  new ApiObject(scope, 'service-monitor', {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'ServiceMonitor',
    metadata: { name: names.name, namespace: names.namespace, labels: { ...operatorLabels(names), ...labels } },
    spec: {
      selector: { matchLabels: operatorSelector(names) },
      endpoints: [{ port: 'metrics', interval: '30s', ...(metricsAuthentication && AUTHENTICATED) }],
    },
  });
