import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { Registry } from '#lib/telemetry/metric.ts';
import { startMetricsServer } from '#lib/telemetry/metrics.ts';
import { addProcessMetrics } from '#lib/telemetry/process-metrics.ts';

/** A connection that sends an incomplete request. */
const halfRequest = async (port: number): Promise<{ readonly closed: Promise<void> }> => {
  const socket = connect(port, '127.0.0.1');
  const closed = once(socket, 'close').then(() => undefined);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(`GET /metrics HTTP/1.1\r\nx: ${'x'.repeat(10_000)}`);
  return { closed };
};

describe('startMetricsServer()', () => {
  it('keeps 32 connections at most, and answers a scrape while others never end their requests', async () => {
    const server = await startMetricsServer({ port: 0, registry: new Registry() });
    try {
      const idle = [];
      for (let count = 0; count < 100; count += 1) idle.push(await halfRequest(server.port));
      let ended = 0;
      for (const { closed } of idle) void closed.then(() => (ended += 1));
      await Promise.all(idle.slice(0, 68).map(({ closed }) => closed));
      expect((await fetch(`http://127.0.0.1:${server.port}/metrics`)).status).toBe(200);
      expect(ended).toBeLessThanOrEqual(70);
    } finally {
      await server.close();
    }
  });

  it('serves /metrics and nothing else', async () => {
    const registry = new Registry();
    const stop = addProcessMetrics(registry);
    const server = await startMetricsServer({ port: 0, registry });
    try {
      const answer = await fetch(`http://127.0.0.1:${server.port}/metrics?name=x`);
      expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
      expect(await answer.text()).toMatch(/^process_resident_memory_bytes \d+$/m);
      const other = await fetch(`http://127.0.0.1:${server.port}/`);
      expect([other.status, await other.text()]).toEqual([404, 'not found\n']);
    } finally {
      await server.close();
      stop();
    }
  });
});
