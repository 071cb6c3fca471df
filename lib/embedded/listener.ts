import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import { isIPv6, type Socket } from 'node:net';
import type { HttpApi } from '#lib/apiserver/http/http-api.ts';
import { ConfigurationError } from '#lib/errors.ts';
import type { ServerCertificates } from './certificates.ts';

/** Address and certificates of a listener. */
export interface ListenerOptions {
  readonly port: number;
  readonly host: string;
  readonly certificates: ServerCertificates;
}

/** A running HTTPS server. */
export interface Listener {
  readonly url: string;
  /** The host and the port, separated by a colon. */
  readonly address: string;
  close(): Promise<void>;
}

/** Maximum time to receive a request, in milliseconds. After this time, the client gets the code 408. */
const REQUEST_TIMEOUT_MS = 60_000;
/** Timeout of the TLS handshake, in milliseconds. */
const HANDSHAKE_TIMEOUT_MS = 10_000;
/**
 * Time after which the server closes an idle connection, in milliseconds. This time is longer than the usual idle timeouts of
 * clients, so that the client closes first.
 */
const KEEP_ALIVE_MS = 180_000;
/** Time after which `close()` destroys connections that have not ended, in milliseconds. */
const GRACE_MS = 500;

const hint = (code: unknown, { host, port }: ListenerOptions): string => {
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} of ${host} is in use by another program; choose another port, or 0 for any free port`;
    case 'EACCES':
      return `this user may not open port ${port}; choose a port above 1023, or 0 for any free port`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is not an address of this machine; use 127.0.0.1`;
    default:
      return code as string;
  }
};

const opened = async (server: Server, options: ListenerOptions): Promise<void> => {
  const { port, host } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new ConfigurationError(
      `Cannot start the embedded cluster: ${port} is not a port; choose one from 0 (any free port) to 65535`,
    );
  }
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const { code } = cause as { readonly code?: unknown };
    throw new ConfigurationError(`Cannot start the embedded cluster: ${hint(code, options)}`, { cause });
  }
};

/** All open connections of a server. `closeAllConnections()` of Node.js omits connections without a complete TLS handshake. */
const socketsOf = (server: Server): ReadonlySet<Socket> => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
};

const closeServer = async (server: Server, sockets: ReadonlySet<Socket>): Promise<void> => {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const force = setTimeout(() => {
    for (const socket of sockets) socket.destroy();
  }, GRACE_MS);
  await closed;
  clearTimeout(force);
};

/**
 * Starts an HTTPS server for an API.
 *
 * @throws {ConfigurationError} when the port is invalid, or the server cannot listen on it, for example because the port is taken
 */
export const listen = async (api: HttpApi, options: ListenerOptions): Promise<Listener> => {
  const { host, certificates } = options;
  const { certificate: cert, key } = certificates;
  const handshakeTimeout = HANDSHAKE_TIMEOUT_MS;
  const server = createServer(
    { cert, key, handshakeTimeout },
    (message, response) => void api.handle(message, response),
  );
  const sockets = socketsOf(server);
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await opened(server, options);
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : options.port;
  const address = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  return { url: `https://${address}`, address, close: () => closeServer(server, sockets) };
};
