import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** @returns the port of 127.0.0.1 for this address of a pod; undefined without one */
export type Route = (host: string) => Promise<number | undefined>;

/** The network of pods that kwok fakes: a forward proxy, which Prometheus supports. */
export interface PodNetwork extends AsyncDisposable {
  readonly url: string;
}

const hostOf = (authority: string): string => authority.replace(/:\d+$/, '');

const forward = (port: number, { method, url = '', headers }: IncomingMessage, response: ServerResponse): void => {
  const { pathname, search } = new URL(url);
  const onwards = request({ host: '127.0.0.1', port, method, path: `${pathname}${search}`, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onwards.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
  onwards.end();
};

const tunnel = (port: number, client: Duplex): void => {
  const server = connect(port, '127.0.0.1', () => {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    server.pipe(client).pipe(server);
  });
  server.on('error', () => client.destroy());
  client.on('error', () => server.destroy());
};

/** Starts the proxy: HTTP is forwarded, TLS is tunnelled unchanged. */
export const startPodNetwork = async (route: Route): Promise<PodNetwork> => {
  const server = createServer((incoming, response) => {
    void route(hostOf(new URL(incoming.url ?? '').host)).then((port) =>
      port === undefined ? response.writeHead(502).end() : forward(port, incoming, response),
    );
  });
  server.on('connect', ({ url = '' }, client: Socket) => {
    void route(hostOf(url)).then((port) => (port === undefined ? client.destroy() : tunnel(port, client)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
