import { type SmallServer, startServer } from './http-server.ts';
import type { Registry } from './metric.ts';

/** Where metrics are served, and which. */
export interface MetricsOptions {
  /** TCP port; 0 takes a free one. */
  readonly port: number;
  readonly registry: Registry;
}

/**
 * Serves `/metrics` to Prometheus.
 *
 * Assumptions: only what scrapes reaches the port. Metrics name kinds, never objects.
 *
 * Caveats: plain HTTP, Prometheus' text form only.
 *
 * @throws {ConfigurationError} when the port is taken or forbidden
 */
export const startMetricsServer = async ({ port, registry }: MetricsOptions): Promise<SmallServer> =>
  startServer({ port, purpose: 'metrics', setting: 'METRICS_PORT' }, ({ url }, response) => {
    const [path] = (url ?? '').split('?');
    if (path !== '/metrics') {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('not found\n');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
    response.end(registry.text());
  });
