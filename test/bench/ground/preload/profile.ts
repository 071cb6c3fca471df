import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { isMainThread } from 'node:worker_threads';

/**
 * Preloaded into an operator: the first SIGUSR2 starts a CPU profile of the main thread and a trace of V8, the second one
 * writes both, and the CPU time between them, into `BENCH_PROFILE_FILE`.
 */
const SAMPLE_MICROSECONDS = 500;

/** Garbage collection and compilation, in all threads. */
const CATEGORIES = ['disabled-by-default-v8.gc', 'disabled-by-default-v8.compile'];

const usages = () => [process.cpuUsage(), process.threadCpuUsage()];

const file = process.env['BENCH_PROFILE_FILE'];

if (isMainThread && file !== undefined) {
  const session = new Session();
  const events: unknown[] = [];
  let before = usages();
  const start = (): void => {
    session.connect();
    session.on('NodeTracing.dataCollected', ({ params }) => events.push(...params.value));
    session.post('Profiler.enable');
    session.post('Profiler.setSamplingInterval', { interval: SAMPLE_MICROSECONDS });
    session.post('NodeTracing.start', { traceConfig: { includedCategories: CATEGORIES } });
    session.post('Profiler.start');
    before = usages();
  };
  const stop = (): void => {
    const [processMs, mainMs] = usages().map(
      ({ user, system }, index) => (user + system - (before[index]?.user ?? 0) - (before[index]?.system ?? 0)) / 1000,
    );
    session.post('Profiler.stop', (_error, { profile }) => {
      session.on('NodeTracing.tracingComplete', () =>
        writeFileSync(file, JSON.stringify({ profile, events, processMs, mainMs, mainThread: process.pid })),
      );
      session.post('NodeTracing.stop');
    });
  };
  process.once('SIGUSR2', () => {
    start();
    process.once('SIGUSR2', stop);
  });
}
