import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const PAGE = '<!doctype html><title>Sign in</title><form method="post"></form>';

/** A login proxy in front of an external Prometheus: a form below `/page`, elsewhere a redirect to a form. */
export interface Login extends AsyncDisposable {
  readonly host: string;
}

/** Starts the proxy. */
export const startLogin = async (): Promise<Login> => {
  const server = createServer(({ url = '' }, response) => {
    if (url.startsWith('/page')) response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
    else response.writeHead(302, { location: 'https://login.example.com/sign-in' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
