import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Registry } from './metric.ts';

const NANOS_PER_SECOND = 1e9;
const MICROS_PER_SECOND = 1e6;
const MILLIS_PER_SECOND = 1e3;

/**
 * The interval between samples of the event loop delay, in milliseconds. Shorter delays may be missed. An interval of 50 ms
 * would need 0.1 % of a core while the process is idle.
 */
const SAMPLE_MS = 200;

/** A sample is the time between two ticks, so `SAMPLE_MS` means no delay. */
const delaySeconds = (nanoseconds: number): number =>
  Math.max(0, nanoseconds / NANOS_PER_SECOND - SAMPLE_MS / MILLIS_PER_SECOND) || 0;

const addEventLoop = (registry: Registry, delays: ReturnType<typeof monitorEventLoopDelay>): void => {
  const lag = (which: string, help: string, read: () => number): void =>
    registry
      .family({ name: `nodejs_eventloop_lag_${which}_seconds`, help: `${help}, since the last scrape.`, type: 'gauge' })
      .read({}, read);
  for (const percent of [50, 90, 99]) {
    const help = `How late the event loop was at most in ${percent} % of samples, one every ${SAMPLE_MS} ms`;
    lag(`p${percent}`, help, () => delaySeconds(delays.percentile(percent)));
  }
  lag('max', 'How late the event loop was at most', () => {
    const worst = delaySeconds(delays.max);
    delays.reset();
    return worst;
  });
  registry
    .family({
      name: 'nodejs_eventloop_utilization',
      help: 'Share of time in which the event loop was busy, since the process started.',
      type: 'gauge',
    })
    .read({}, () => performance.eventLoopUtilization().utilization);
};

const addMemory = (registry: Registry): void => {
  const gauge = (name: string, help: string, read: () => number): void =>
    registry.family({ name, help, type: 'gauge' }).read({}, read);
  gauge('process_resident_memory_bytes', 'Memory that the process holds.', () => process.memoryUsage.rss());
  gauge('nodejs_heap_size_used_bytes', 'Heap in use.', () => getHeapStatistics().used_heap_size);
  gauge('nodejs_heap_size_total_bytes', 'Heap reserved.', () => getHeapStatistics().total_heap_size);
  gauge(
    'nodejs_heap_size_limit_bytes',
    'The largest heap that Node allows.',
    () => getHeapStatistics().heap_size_limit,
  );
  gauge(
    'nodejs_external_memory_bytes',
    'Memory outside the heap that objects hold.',
    () => process.memoryUsage().external,
  );
};

const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / MICROS_PER_SECOND;
};

const addProcess = (registry: Registry): void => {
  registry
    .family({ name: 'process_cpu_seconds_total', help: 'CPU time of the process.', type: 'counter' })
    .read({}, cpuSeconds);
  const startedAt = performance.timeOrigin / MILLIS_PER_SECOND;
  registry
    .family({ name: 'process_start_time_seconds', help: 'When the process started, since the epoch.', type: 'gauge' })
    .read({}, () => startedAt);
  registry
    .family({ name: 'nodejs_version_info', help: 'The version of Node.', type: 'gauge' })
    .read({ version: process.version }, () => 1);
};

/**
 * Adds the metrics of the process and of Node.js, with the names of Prometheus' client libraries, and the lag of the event loop.
 *
 * @returns a function that ends the sampling of the event loop
 */
export const addProcessMetrics = (registry: Registry): (() => void) => {
  const delays = monitorEventLoopDelay({ resolution: SAMPLE_MS });
  delays.enable();
  addEventLoop(registry, delays);
  addMemory(registry);
  addProcess(registry);
  return () => void delays.disable();
};
