import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/** Preloaded into an operator: writes the delay of its event loop into `BENCH_EVENT_LOOP_FILE` at its end. */
const SAMPLE_MS = 5;

const file = process.env['BENCH_EVENT_LOOP_FILE'];

if (isMainThread && file !== undefined) {
  const delays = monitorEventLoopDelay({ resolution: SAMPLE_MS });
  delays.enable();
  // A sample is the time between two timer callbacks, so one of SAMPLE_MS means no delay.
  const delayMs = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - SAMPLE_MS);
  process.on('exit', () =>
    writeFileSync(file, JSON.stringify({ p99Ms: delayMs(delays.percentile(99)), maxMs: delayMs(delays.max) })),
  );
}
