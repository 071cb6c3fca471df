import { percentile } from './measure.ts';

/** How often something is done. */
export interface WarmRunsOptions {
  /** Until then V8 still compiles. */
  readonly cold: number;
  /** Those that count, after them. */
  readonly warm: number;
}

/** What some work costs, in milliseconds of CPU. */
export interface WarmRuns {
  /** The median of the warm runs. */
  readonly ms: number;
  /** The first time, which is what a process pays that does it once. */
  readonly firstMs: number;
  /** All runs, in order. */
  readonly times: readonly number[];
}

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Does some work again and again, until it is warm and then some times more. */
export const warmRuns = async (work: () => Promise<unknown>, { cold, warm }: WarmRunsOptions): Promise<WarmRuns> => {
  const times: number[] = [];
  for (let run = 0; run < cold + warm; run += 1) {
    const startedAt = cpuMs();
    await work();
    times.push(cpuMs() - startedAt);
  }
  return { ms: percentile(times.slice(cold), 0.5), firstMs: times[0] ?? Number.NaN, times };
};
