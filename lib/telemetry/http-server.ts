import type { RequestListener, Server, ServerOptions } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { ConfigurationError } from '#lib/errors.ts';

// An import would read everything that the module exports, and so load Node's own fetch and WebSocket: 13 MiB and 60 ms (Node 24.21).
const { createServer } = process.getBuiltinModule('node:http');

/** A certificate and its key, in PEM. */
export interface ServerKeys {
  readonly certificate: string;
  readonly key: string;
}

/** Maximum number of connections. Kubelets and scrapers need one each. */
const MAX_CONNECTIONS = 32;
/** A request must be complete within this, in milliseconds, and a connection without one is kept for this. */
const REQUEST_MS = 5000;

/** A small HTTP server of the process, for kubelets and Prometheus. */
export interface SmallServer {
  readonly port: number;
  close(): Promise<void>;
}

/** The address, and its name in messages. */
export interface ListenOptions {
  /** TCP port; 0 takes a free one. */
  readonly port: number;
  /** The purpose of the port, as in `health port 8081`. */
  readonly purpose: string;
  /** The setting that names the port. */
  readonly setting: string;
  /** Uses TLS with this certificate. @default plain HTTP */
  readonly tls?: ServerKeys;
}

/**
 * Closes the oldest connection to accept a new connection. As a result, connections that never send a request cannot block a
 * scraper. A scrape is not affected, because it ends within milliseconds.
 */
const limitConnections = (server: Server): void => {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    const [oldest] = open;
    if (open.size > MAX_CONNECTIONS) oldest?.destroy();
  });
};

/** Loaded only where it is needed. */
const tlsServer = ({ certificate: cert, key }: ServerKeys, options: ServerOptions, listener: RequestListener): Server =>
  process
    .getBuiltinModule('node:https')
    .createServer({ ...options, cert, key, minVersion: 'TLSv1.2', handshakeTimeout: REQUEST_MS }, listener);

/**
 * Listens on all addresses.
 *
 * Guarantees: at most 32 connections; a request has at most 16 KiB of headers, Node's default, and five seconds to arrive.
 *
 * @throws {ConfigurationError} when the port is taken or forbidden
 */
export const startServer = async (
  { port, purpose, setting, tls }: ListenOptions,
  listener: RequestListener,
): Promise<SmallServer> => {
  const timeouts = { headersTimeout: REQUEST_MS, requestTimeout: REQUEST_MS, connectionsCheckingInterval: 1000 };
  const server = tls ? tlsServer(tls, timeouts, listener) : createServer(timeouts, listener);
  limitConnections(server);
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
