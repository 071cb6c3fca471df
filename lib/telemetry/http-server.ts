import type { RequestListener, Server, ServerOptions } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { ConfigurationError } from '#lib/errors.ts';

// An import would read all exports of the module. This would load the fetch and WebSocket of Node.js: 13 MiB and 60 ms (Node
// 24.21).
const { createServer } = process.getBuiltinModule('node:http');

/** A certificate and its key, in PEM. */
export interface ServerKeys {
  readonly certificate: string;
  readonly key: string;
}

/** The most connections. A kubelet and a scraper need one each. */
const MAX_CONNECTIONS = 32;
/** The time limit for a complete request, and for a connection without a request, in milliseconds. */
const REQUEST_MS = 5000;

/** A small HTTP server of the process, for kubelets and Prometheus. */
export interface SmallServer {
  readonly port: number;
  close(): Promise<void>;
}

/** The port, and its name in messages. */
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

/** Makes a server with TLS. The module is loaded only when it is needed. */
const tlsServer = ({ certificate: cert, key }: ServerKeys, options: ServerOptions, listener: RequestListener): Server =>
  process
    .getBuiltinModule('node:https')
    .createServer({ ...options, cert, key, minVersion: 'TLSv1.2', handshakeTimeout: REQUEST_MS }, listener);

/**
 * Starts a server on all addresses of this machine.
 *
 * Guarantees: at most 32 connections. A request has at most 16 KiB of headers, as by default in Node.js, and must arrive within
 * five seconds.
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
