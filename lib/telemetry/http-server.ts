import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigurationError } from '#lib/errors.ts';

// An import would read everything that the module exports, and so load Node's own fetch and WebSocket: 13 MiB and 60 ms (Node 24.21).
const { createServer } = process.getBuiltinModule('node:http');

/** A small HTTP server of the process, for kubelets and Prometheus. */
export interface SmallServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Where to listen, and how to speak of it. */
export interface ListenOptions {
  /** TCP port; 0 takes a free one. */
  readonly port: number;
  /** What the port is for, as in `health port 8081`. */
  readonly purpose: string;
  /** The setting that names the port. */
  readonly setting: string;
}

/**
 * Listens on all addresses.
 *
 * @throws {ConfigurationError} when the port is taken or forbidden
 */
export const startServer = async (
  { port, purpose, setting }: ListenOptions,
  listener: RequestListener,
): Promise<SmallServer> => {
  const server = createServer(listener);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.once('error', (cause: NodeJS.ErrnoException) => {
    const what = `Cannot listen on ${purpose} port ${port}: ${cause.code ?? cause.message}`;
    reject(new ConfigurationError(`${what}; set ${setting} to a free port`, { cause }));
  });
  server.listen(port, () => resolve((server.address() as AddressInfo).port));
  const bound = await promise;
  return {
    port: bound,
    close: async () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
};
