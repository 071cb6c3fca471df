import { type SmallServer, startServer } from './http-server.ts';

/** The port of the probes, and the functions that supply their content. */
export interface HealthOptions {
  /** The TCP port; 0 for any free port. */
  readonly port: number;
  /** Whether this process works as well as another replica could; see `Manager.isReady`. False again when the process stops. */
  readonly isReady: () => boolean;
  /** The missing parts, one line each, whether the process is ready or not. @default none */
  readonly problems?: () => readonly string[];
}

/**
 * Serves `/healthz` and `/readyz` for the probes of the Deployment.
 *
 * Flow: `/healthz` returns 200 while the event loop runs. `/readyz` returns 200 or 503 by `isReady`, and lists the `problems`
 * in both cases.
 *
 * Guarantees: the liveness probe never depends on the API server, so an outage of the API server does not restart operators.
 *
 * Caveats: plain HTTP without authentication.
 *
 * @throws {ConfigurationError} when the process cannot listen on the port
 */
export const startHealthServer = async ({ port, isReady, problems = () => [] }: HealthOptions): Promise<SmallServer> =>
  startServer({ port, purpose: 'health', setting: 'HEALTH_PORT' }, ({ url }, response) => {
    const healthy = url === '/healthz' || (url === '/readyz' && isReady());
    const known = url === '/healthz' || url === '/readyz';
    const missing = url === '/readyz' ? problems().map((problem) => `missing ${problem}\n`) : [];
    response.writeHead(healthy ? 200 : known ? 503 : 404, { 'content-type': 'text/plain' });
    response.end([healthy ? 'ok\n' : known ? 'not ready\n' : 'not found\n', ...missing].join(''));
  });
