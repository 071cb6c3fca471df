import type { RequestListener, Server, ServerOptions } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { ConfigurationError } from '#lib/errors.ts';

// An import would read all exports of the module. This would load the fetch and WebSocket of Node.js: 13 MiB and 60 ms (Node
// 24.21).
const { createServer } = process.getBuiltinModule('node:http');

/** A certificate and its private key, in PEM. */
export interface ServerKeys {
  readonly certificate: string;
  readonly key: string;
}

/** The maximum number of connections. A kubelet and a scraper need one each. */
const MAX_CONNECTIONS = 32;
/** The time limit for a complete request and for a TLS handshake, in milliseconds. */
const REQUEST_MS = 5000;

/** A small HTTP server of the process, for kubelets and Prometheus. */
export interface SmallServer {
  readonly port: number;
  close(): Promise<void>;
}

/** The port of a server, its TLS keys, and the words for error messages. */
export interface ListenOptions {
  /** The TCP port; 0 for any free port. */
  readonly port: number;
  /** The purpose of the port in messages, such as `health` in `health port 8081`. */
  readonly purpose: string;
  /** The name of the setting for the port. */
  readonly setting: string;
  /** The certificate for TLS. @default plain HTTP */
  readonly tls?: ServerKeys;
}

/** Closes the oldest connection when there are too many, so that connections without a request cannot block scrapers. */
const limitConnections = (server: Server): void => {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    const [oldest] = open;
    if (open.size > MAX_CONNECTIONS) oldest?.destroy();
  });
};

/** Loads `node:https` only if TLS is used. */
const tlsServer = ({ certificate: cert, key }: ServerKeys, options: ServerOptions, listener: RequestListener): Server =>
  process
    .getBuiltinModule('node:https')
    .createServer({ ...options, cert, key, minVersion: 'TLSv1.2', handshakeTimeout: REQUEST_MS }, listener);

/**
 * Starts an HTTP or HTTPS server on all addresses of the machine.
 *
 * Guarantees: at most 32 connections. A request must arrive within five seconds.
 *
 * @throws {ConfigurationError} when the process cannot listen on the port
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
