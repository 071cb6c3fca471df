import { startHealthServer } from '#lib/telemetry/health.ts';
import { addProcessMetrics } from '#lib/telemetry/process-metrics.ts';
import type { Closers } from './closers.ts';
import { type MetricsPort, serveMetrics } from './metrics/serve.ts';
import type { ProcessSettings } from './settings.ts';

/** The settings and the data sources of the health port and the metrics port. */
export interface ServedPorts extends MetricsPort {
  readonly settings: ProcessSettings;
  readonly isReady: () => boolean;
  readonly problems: () => readonly string[];
}

/**
 * Opens the health port and the metrics port, and registers both with `closers`.
 *
 * @returns the bound TCP ports
 */
export const servePorts = async ({ isReady, problems, ...metricsPort }: ServedPorts, closers: Closers) => {
  const { settings, registry } = metricsPort;
  const health = await startHealthServer({ port: settings.healthPort, isReady, problems });
  closers.push('health port', () => health.close());
  closers.push('metrics', addProcessMetrics(registry));
  const metrics = await serveMetrics(metricsPort, closers);
  closers.push('metrics port', () => metrics.close());
  return { healthPort: health.port, metricsPort: metrics.port };
};
