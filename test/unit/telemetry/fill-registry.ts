import { createLoopMetrics } from '#lib/telemetry/loop-metrics.ts';
import type { Registry } from '#lib/telemetry/metric.ts';
import { addProcessMetrics } from '#lib/telemetry/process-metrics.ts';
import { createRequestMetrics } from '#lib/telemetry/request-metrics.ts';

/** Registers every metric of the process, with a sample of each. */
export const fillRegistry = (registry: Registry): void => {
  const metrics = createLoopMetrics(registry);
  const controller = metrics.controller('podset', {
    concurrency: 1,
    depth: () => 0,
    unfinishedMs: () => [],
    staleMs: () => 0,
  });
  controller.refused('create', 'Forbidden');
  controller.statusFailed('Invalid');
  metrics.watch('pods', { silenceMs: () => 0, objects: () => 0, refused: () => 0 });
  metrics.writes({ limit: () => 16, waiting: () => 0 });
  metrics.event('created');
  metrics.restored('list');
  metrics.leading('operator', true);
  createRequestMetrics(registry)({ method: 'GET', host: 'a', code: 200, durationMs: 1 });
  addProcessMetrics(registry)();
};
