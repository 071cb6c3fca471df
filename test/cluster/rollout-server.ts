import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that arrived. */
export interface Call {
  readonly path: string;
  readonly key: string;
  readonly query: string | null;
  readonly body: string;
}

/** One server in place of Prometheus, of hooks and of a chat. */
export interface RolloutServer {
  /** `127.0.0.1:<port>`. */
  readonly host: string;
  readonly calls: readonly Call[];
  /** Result of a query; the default is an empty vector. */
  readonly values: Map<string, string>;
  /** Status codes of a path, in order; 200 afterwards. */
  readonly answers: Map<string, number[]>;
  to(path: string): readonly Call[];
  stop(): void;
}

const vector = (value: string | undefined): string =>
  JSON.stringify({
    status: 'success',
    data: { resultType: 'vector', result: value === undefined ? [] : [{ metric: {}, value: [1, value] }] },
  });

/** Starts the server on a free port. */
export const startRolloutServer = async (): Promise<RolloutServer> => {
  const calls: Call[] = [];
  const values = new Map<string, string>();
  const answers = new Map<string, number[]>();
  const server: Server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const query = searchParams.get('query');
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      calls.push({ path: pathname, key: String(request.headers['idempotency-key']), query, body });
      const status = answers.get(pathname)?.shift() ?? 200;
      response.writeHead(status).end(query === null ? '' : vector(values.get(query)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    calls,
    values,
    answers,
    to: (path) => calls.filter((call) => call.path === path),
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
