import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import { type OperatorNames, operatorLabels, operatorSelector } from '#constructs/operator/names.ts';

/** Prometheus sends the token of its own ServiceAccount, and does not verify the certificate, because it is self-signed. */
const AUTHENTICATED = {
  scheme: 'https',
  tlsConfig: { insecureSkipVerify: true },
  bearerTokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token',
};

/** Whether metrics need authentication, and the labels by which a Prometheus selects the ServiceMonitor. */
interface ServiceMonitorOptions {
  readonly metricsAuthentication?: boolean | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** Makes the Prometheus Operator scrape every replica; the kinds of monitoring.coreos.com must be installed. */
export const addServiceMonitor = (
  scope: Construct,
  names: OperatorNames,
  { metricsAuthentication = false, labels }: ServiceMonitorOptions,
): ApiObject =>
  new ApiObject(scope, 'service-monitor', {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'ServiceMonitor',
    metadata: { name: names.name, namespace: names.namespace, labels: { ...labels, ...operatorLabels(names) } },
    spec: {
      selector: { matchLabels: operatorSelector(names) },
      endpoints: [{ port: 'metrics', interval: '30s', ...(metricsAuthentication && AUTHENTICATED) }],
    },
  });
