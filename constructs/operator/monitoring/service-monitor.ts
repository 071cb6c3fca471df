import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import { type OperatorNames, operatorLabels, operatorSelector } from '#constructs/operator/names.ts';

/** Scrapes with the token of Prometheus' own ServiceAccount. The certificate is self-signed, so it is not verified. */
const AUTHENTICATED = {
  scheme: 'https',
  tlsConfig: { insecureSkipVerify: true },
  bearerTokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token',
};

/** The options of the ServiceMonitor. */
interface ServiceMonitorOptions {
  readonly metricsAuthentication?: boolean | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** Adds a ServiceMonitor, so that Prometheus scrapes every replica; the kinds of monitoring.coreos.com must be installed. */
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
