import { type PlaneMeasure, percentile, rounded } from '../report/measure.ts';

const RUNS = 7;

/** Measures the time from the start of the bundled operator until its caches are filled and it leads. */
export const measureStart: PlaneMeasure = async ({ ground, progress }) => {
  progress(`START: ${RUNS} starts`);
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const startedAt = performance.now();
    await using operator = await ground.startOperator();
    times.push(performance.now() - startedAt);
    await operator.stop();
  }
  const median = percentile(times, 0.5);
  return [
    {
      id: 'START',
      measure: 'start of the bundled operator to caches filled and leading, ms',
      goal: '',
      verdict: 'note',
      result: `${rounded(median)} ms`,
      figures: { times },
      headline: median,
    },
  ];
};
