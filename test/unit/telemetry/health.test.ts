import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ConfigurationError } from '#lib/errors.ts';
import { startHealthServer } from '#lib/telemetry/health.ts';
import type { SmallServer } from '#lib/telemetry/http-server.ts';

const servers: SmallServer[] = [];

const problems = (): readonly string[] => ['racks.demo.example.com: NotFound', 'pods in left: Forbidden'];

const start = async (isReady: () => boolean = () => true, port = 0): Promise<SmallServer> => {
  const server = await startHealthServer({ port, isReady });
  servers.push(server);
  return server;
};

const statusOf = async ({ port }: SmallServer, path: string): Promise<number> => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  await response.text();
  return response.status;
};

afterEach(async () => {
  await Promise.all(servers.splice(0).map(async (server) => server.close()));
});

describe('startHealthServer()', () => {
  it.each([
    { path: '/healthz', ready: true, status: 200, reason: 'it lives' },
    { path: '/healthz', ready: false, status: 200, reason: 'to live it need not be ready' },
    { path: '/readyz', ready: true, status: 200, reason: 'it is ready' },
    { path: '/readyz', ready: false, status: 503, reason: 'it is not ready' },
    { path: '/', ready: true, status: 404, reason: 'there is nothing' },
    { path: '/metrics', ready: true, status: 404, reason: 'there are no metrics here' },
    { path: '/readyz/../etc/passwd', ready: true, status: 404, reason: 'there are no files' },
  ])('startHealthServer() answers $status to $path when $reason', async ({ path, ready, status }) => {
    expect(await statusOf(await start(() => ready), path)).toBe(status);
  });

  it('startHealthServer() follows readiness as it changes', async () => {
    let ready = false;
    const server = await start(() => ready);
    const before = await statusOf(server, '/readyz');
    ready = true;
    expect([before, await statusOf(server, '/readyz')]).toEqual([503, 200]);
  });

  it.each([true, false])('/readyz names what is missing, one line each, when isReady() is %s', async (ready) => {
    const server = await startHealthServer({ port: 0, isReady: () => ready, problems });
    servers.push(server);
    const bodyOf = async (path: string): Promise<string> =>
      (await fetch(`http://127.0.0.1:${server.port}${path}`)).text();
    const missing = 'missing racks.demo.example.com: NotFound\nmissing pods in left: Forbidden\n';
    expect(await bodyOf('/readyz')).toBe(`${ready ? 'ok' : 'not ready'}\n${missing}`);
    expect(await bodyOf('/healthz')).toBe('ok\n');
  });

  it('startHealthServer() rejects with ConfigurationError when the port is taken', async () => {
    const { port } = await start();
    const second = startHealthServer({ port, isReady: () => true });
    await expect(second).rejects.toBeInstanceOf(ConfigurationError);
    await expect(second).rejects.toMatchObject({ cause: { code: 'EADDRINUSE' } });
  });

  it('close() frees the port, though a probe holds its connection open', async () => {
    const first = await startHealthServer({ port: 0, isReady: () => true });
    const probe = connect(first.port, '127.0.0.1');
    probe.on('error', () => undefined);
    await once(probe, 'connect');
    await first.close();
    expect((await start(() => true, first.port)).port).toBe(first.port);
    probe.destroy();
  });
});
