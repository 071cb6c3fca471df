import { percentile } from '../report/measure.ts';

/** Numbers of runs. */
export interface WarmRunsOptions {
  /** Runs during which V8 still compiles. */
  readonly cold: number;
  /** Measured runs, after the cold ones. */
  readonly warm: number;
}

/** The cost of some work, in milliseconds of CPU. */
export interface WarmRuns {
  /** The median of the warm runs. */
  readonly ms: number;
  /** The first run: the cost in a process that does the work once. */
  readonly firstMs: number;
  /** The times of all runs in milliseconds, in order. */
  readonly times: readonly number[];
}

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Repeats some work until it is warm, and then measures it. */
export const warmRuns = async (work: () => Promise<unknown>, { cold, warm }: WarmRunsOptions): Promise<WarmRuns> => {
  const times: number[] = [];
  for (let run = 0; run < cold + warm; run += 1) {
    const startedAt = cpuMs();
    await work();
    times.push(cpuMs() - startedAt);
  }
  return { ms: percentile(times.slice(cold), 0.5), firstMs: times[0] ?? Number.NaN, times };
};
