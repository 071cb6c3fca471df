import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:http';
import { describe, expect, it } from 'vitest';
import { startHealthServer } from '#lib/telemetry/health.ts';
import type { SmallServer } from '#lib/telemetry/http-server.ts';
import { Registry } from '#lib/telemetry/metric.ts';
import { startMetricsServer } from '#lib/telemetry/metrics.ts';

/** Node's channel for the begin of a request; its messages name the server. */
const REQUESTS = 'http.server.request.start';

/** The server that answers at the port of a small server. */
const serverOf = async ({ port }: SmallServer): Promise<Server> => {
  const servers: Server[] = [];
  const onRequest = (message: unknown): void => void servers.push((message as { readonly server: Server }).server);
  subscribe(REQUESTS, onRequest);
  try {
    await (await fetch(`http://127.0.0.1:${port}/`)).text();
    return servers[0] as Server;
  } finally {
    unsubscribe(REQUESTS, onRequest);
  }
};

describe('startServer()', () => {
  it.each([
    ['health', async () => startHealthServer({ port: 0, isReady: () => true })],
    ['metrics', async () => startMetricsServer({ port: 0, registry: new Registry() })],
  ])('startServer() gives a request on the port for %s five seconds to arrive', async (_, start) => {
    const server = await start();
    try {
      const { headersTimeout, requestTimeout } = await serverOf(server);
      expect({ headersTimeout, requestTimeout }).toEqual({ headersTimeout: 5000, requestTimeout: 5000 });
    } finally {
      await server.close();
    }
  });
});
