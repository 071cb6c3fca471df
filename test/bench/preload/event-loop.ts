import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/** Loaded into an operator before anything else: writes into `BENCH_EVENT_LOOP_FILE`, at its end, how late its event loop was. */
const SAMPLE_MS = 5;

const file = process.env['BENCH_EVENT_LOOP_FILE'];

if (isMainThread && file !== undefined) {
  const delays = monitorEventLoopDelay({ resolution: SAMPLE_MS });
  delays.enable();
  // A sample is the time between two looks, so one of SAMPLE_MS means no delay.
  const delayMs = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - SAMPLE_MS);
  process.on('exit', () =>
    writeFileSync(file, JSON.stringify({ p99Ms: delayMs(delays.percentile(99)), maxMs: delayMs(delays.max) })),
  );
}
