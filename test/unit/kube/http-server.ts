import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

/** A received request. */
export interface Received {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface HttpServer {
  readonly url: string;
  readonly received: Received[];
  /** Number of connections accepted so far. */
  connections(): number;
  /** Number of open connections. */
  open(): number;
  /** From now on, new connections get {@link rotatedCertificate}. Open connections stay. */
  rotate(): void;
  close(): Promise<void>;
}

export interface HttpServerOptions {
  readonly tls?: boolean;
  readonly host?: string;
}

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** A self-signed certificate for localhost, 127.0.0.1, ::1 and kubernetes.default.svc; made for these tests, trusted nowhere. */
export const certificate = readFileSync(pathOf('localhost.crt.pem'), 'utf8');
/**
 * Another self-signed certificate for the same names, with another key, so a client that trusts only the first one refuses it.
 */
export const rotatedCertificate = readFileSync(pathOf('localhost-rotated.crt.pem'), 'utf8');
const rotatedKey = readFileSync(pathOf('localhost-rotated.key.pem'), 'utf8');
const privateKey = readFileSync(pathOf('localhost.key.pem'), 'utf8');

/** Starts a real HTTP(S) server on a free port of the loopback interface. */
export const startHttpServer = async (
  answer: (request: Received, response: ServerResponse) => void,
  options: HttpServerOptions = {},
): Promise<HttpServer> => {
  const { tls = false, host = '127.0.0.1' } = options;
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const item = { method, url: new URL(url, 'http://test'), headers, body: Buffer.concat(chunks).toString() };
      received.push(item);
      answer(item, response);
    });
  };
  const tlsServer = tls ? createTlsServer({ cert: certificate, key: privateKey }, listener) : undefined;
  const server = tlsServer ?? createServer(listener);
  server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, host, listening.resolve);
  await listening.promise;
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    received,
    connections: () => connections,
    open: () => sockets.size,
    rotate: () => tlsServer?.setSecureContext({ cert: rotatedCertificate, key: rotatedKey }),
    close: async () => {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
};

export const sendJson = (response: ServerResponse, body: unknown, code = 200): void => {
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

/** Sends a refusal as API servers do. */
export const sendStatus = (
  response: ServerResponse,
  status: { code: number; reason?: string; message?: string },
): void => sendJson(response, { kind: 'Status', apiVersion: 'v1', status: 'Failure', ...status }, status.code);
