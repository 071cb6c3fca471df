import type { Credentials } from '#lib/kube/credentials/authentication.ts';
import { systemTimers } from '#lib/kube/interface/timers.ts';
import { Transport } from '#lib/kube/transport/transport.ts';
import type { SmallServer } from '#lib/telemetry/http-server.ts';
import type { Logger } from '#lib/telemetry/log.ts';
import type { Registry } from '#lib/telemetry/metric.ts';
import { startMetricsServer } from '#lib/telemetry/metrics.ts';
import type { Closers } from '../closers.ts';
import type { ProcessSettings } from '../settings.ts';
import { MetricsAccess } from './access.ts';
import { metricsCertificate } from './certificate.ts';

/** The data that the metrics port needs: settings, metrics, credentials and log. */
export interface MetricsPort {
  readonly settings: Pick<ProcessSettings, 'metricsPort' | 'metricsAuthentication' | 'instance'>;
  readonly registry: Registry;
  readonly credentials: Credentials;
  readonly log: Logger;
}

/** The maximum number of connections for reviews. They are separate, so that reviews do not wait for requests of the loop. */
const CONNECTIONS = 2;
/** The time limit of a review, in milliseconds. The default timeout of a Prometheus scrape is ten seconds. */
const REVIEW_TIMEOUT_MS = 5000;

/**
 * Serves metrics. With `metricsAuthentication`, the server uses TLS and asks the API server whether the client may read
 * metrics. Otherwise, it uses plain HTTP for all clients.
 */
export const serveMetrics = async (
  { settings, registry, credentials, log }: MetricsPort,
  closers: Closers,
): Promise<SmallServer> => {
  const { metricsPort: port, metricsAuthentication, instance } = settings;
  if (!metricsAuthentication) return startMetricsServer({ port, registry });
  const transport = new Transport(credentials, { connections: CONNECTIONS, requestTimeoutMs: REVIEW_TIMEOUT_MS });
  closers.push('connections of metrics', () => transport.close());
  const request = async (review: Parameters<Transport['request']>[0]): Promise<unknown> => transport.request(review);
  const access = new MetricsAccess({ request, timers: systemTimers, log });
  const tls = metricsCertificate(instance, Date.now());
  const authorize = async (header: string | undefined) => access.verdictOn(header);
  return startMetricsServer({ port, registry, tls, authorize });
};
