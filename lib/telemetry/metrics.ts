import { type ServerKeys, type SmallServer, startServer } from './http-server.ts';
import type { Registry } from './metric.ts';

/** The status code of the response to a scrape: 200 allowed, 401 no valid token, 403 no right, 503 no decision. */
export type MetricsVerdict = 200 | 401 | 403 | 503;

/** Options of {@link startMetricsServer}. */
export interface MetricsOptions {
  /** The TCP port; 0 for any free port. */
  readonly port: number;
  readonly registry: Registry;
  /** The certificate for TLS. @default plain HTTP */
  readonly tls?: ServerKeys;
  /** Decides on a request by its `Authorization` header. Must not reject. @default allows all clients */
  readonly authorize?: (authorization: string | undefined) => Promise<MetricsVerdict>;
}

const PROMETHEUS_TEXT = 'text/plain; version=0.0.4; charset=utf-8';

const WORDS = { 401: 'unauthorized\n', 403: 'forbidden\n', 503: 'not now\n' } as const;

/**
 * Serves `/metrics` in the text format of Prometheus.
 *
 * Assumptions: without `authorize`, only scrapers reach the port.
 *
 * @throws {ConfigurationError} when the process cannot listen on the port
 */
export const startMetricsServer = async (options: MetricsOptions): Promise<SmallServer> => {
  const { port, registry, tls, authorize } = options;
  const listen = { port, purpose: 'metrics', setting: 'METRICS_PORT', ...(tls && { tls }) };
  return startServer(listen, ({ url, headers }, response) => {
    const end = (status: number, text: string, type = 'text/plain'): void =>
      void response.writeHead(status, { 'content-type': type }).end(text);
    if (url?.split('?')[0] !== '/metrics') {
      end(404, 'not found\n');
      return;
    }
    const show = (verdict: MetricsVerdict): void =>
      verdict === 200 ? end(200, registry.text(), PROMETHEUS_TEXT) : end(verdict, WORDS[verdict]);
    if (authorize) void authorize(headers.authorization).then(show);
    else show(200);
  });
};
