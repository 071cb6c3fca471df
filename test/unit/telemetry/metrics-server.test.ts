import { describe, expect, it } from 'vitest';
import { Registry } from '#lib/telemetry/metric.ts';
import { startMetricsServer } from '#lib/telemetry/metrics.ts';
import { addProcessMetrics } from '#lib/telemetry/process-metrics.ts';

describe('startMetricsServer()', () => {
  it('serves /metrics and nothing else', async () => {
    const registry = new Registry();
    const stop = addProcessMetrics(registry);
    const server = await startMetricsServer({ port: 0, registry });
    try {
      const answer = await fetch(`http://127.0.0.1:${server.port}/metrics?name=x`);
      expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
      expect(await answer.text()).toMatch(/^process_resident_memory_bytes \d+$/m);
      expect((await fetch(`http://127.0.0.1:${server.port}/`)).status).toBe(404);
    } finally {
      await server.close();
      stop();
    }
  });
});
