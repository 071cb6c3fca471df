import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { type RunOptions, run } from '#lib/runtime.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import type { Received } from '#test/unit/kube/http-server.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';
import { startKubeServer } from './kube-server.ts';

const CONNECTIONS = 16;

const shelves = Array.from({ length: 20 }, (_, index) => ({
  apiVersion: 'demo.example.com/v1',
  kind: 'Shelf',
  metadata: { name: `shelf-${index}`, namespace: 'default', uid: `u${index}`, generation: 1, resourceVersion: '1' },
  spec: { books: [`book-${index}`] },
}));

const reply = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

const quota = {
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  reason: 'Forbidden',
  message: 'pods "a" is forbidden: exceeded quota: none, requested: pods=1, used: pods=0, limited: pods=0',
  code: 403,
};

const noWatchLists = {
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  reason: 'Invalid',
  message: 'no',
  code: 422,
};

/**
 * An API server that never answers creates of pods, except for the first: it refuses this create when all other connections
 * wait.
 */
const busyServer = (onEvent: (event: string) => void) => {
  let first: ServerResponse | undefined;
  let creates = 0;
  return ({ method, url, body }: Received, response: ServerResponse): void => {
    if (url.pathname.endsWith('/events')) {
      onEvent(body);
      reply(response, 201, JSON.parse(body) as object);
    } else if (method === 'POST') {
      creates += 1;
      first ??= response;
      if (creates === CONNECTIONS) reply(first, 403, quota);
    } else if (url.searchParams.get('watch') !== 'true') {
      const items = url.pathname.endsWith('/shelves') ? shelves : [];
      reply(response, 200, { kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: '2' }, items });
    } else if (url.searchParams.has('sendInitialEvents')) reply(response, 422, noWatchLists);
    else response.writeHead(200).flushHeaders();
  };
};

const firstEventOf = async (options: Partial<RunOptions>): Promise<{ type: string; reason: string }> => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const kube = await startKubeServer(busyServer(resolve));
  const ending = new AbortController();
  const log = createLogger('silent');
  const running = run({
    kinds: [shelf],
    env: kube.env,
    log,
    connections: CONNECTIONS,
    signal: ending.signal,
    ...options,
  });
  const event = JSON.parse(await promise) as { type: string; reason: string };
  ending.abort();
  await kube.close();
  await running;
  return event;
};

describe('the events of run()', () => {
  it('run() writes the event of a refusal while other writes wait for their answers', async () => {
    expect(await firstEventOf({})).toMatchObject({ type: 'Warning', reason: 'FailedCreate' });
  });
});
