import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigurationError } from '#lib/errors.ts';

/** Where probes are answered, and from what. */
export interface HealthOptions {
  /** TCP port; 0 takes a free one. */
  readonly port: number;
  /** True once the caches are filled and until the process drains. */
  readonly isReady: () => boolean;
}

/** A running health server. */
export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

const listen = async (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      reject(
        new ConfigurationError(
          `Cannot listen on health port ${port}: ${cause.code ?? cause.message}; set HEALTH_PORT to a free port`,
          { cause },
        ),
      );
    });
    server.listen(port, () => resolve((server.address() as AddressInfo).port));
  });

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
export const startHealthServer = async ({ port, isReady }: HealthOptions): Promise<HealthServer> => {
  const server = createServer(({ url }, response) => {
    const healthy = url === '/healthz' || (url === '/readyz' && isReady());
    const known = url === '/healthz' || url === '/readyz';
    response.writeHead(healthy ? 200 : known ? 503 : 404, { 'content-type': 'text/plain' });
    response.end(healthy ? 'ok\n' : known ? 'not ready\n' : 'not found\n');
  });
  const bound = await listen(server, port);
  return {
    port: bound,
    close: async () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
