import { type SmallServer, startServer } from './http-server.ts';

/** Where probes are answered, and from what. */
export interface HealthOptions {
  /** TCP port; 0 takes a free one. */
  readonly port: number;
  /** True once the caches are filled and until the process drains. */
  readonly isReady: () => boolean;
}

/**
 * Serves `/healthz` and `/readyz` for the probes of the Deployment.
 *
 * Flow: `/healthz` answers 200 as long as the event loop turns; `/readyz` answers 200 when the caches are filled, else 503.
 *
 * Guarantees: liveness never depends on the API server, so that its outage does not restart operators.
 *
 * Assumptions: only kubelets reach the port. It tells nothing but ok or not.
 *
 * Caveats: plain HTTP.
 *
 * @throws {ConfigurationError} when the port is taken or forbidden
 */
export const startHealthServer = async ({ port, isReady }: HealthOptions): Promise<SmallServer> =>
  startServer({ port, purpose: 'health', setting: 'HEALTH_PORT' }, ({ url }, response) => {
    const healthy = url === '/healthz' || (url === '/readyz' && isReady());
    const known = url === '/healthz' || url === '/readyz';
    response.writeHead(healthy ? 200 : known ? 503 : 404, { 'content-type': 'text/plain' });
    response.end(healthy ? 'ok\n' : known ? 'not ready\n' : 'not found\n');
  });
