import { runRunning } from '../ground/run-operator.ts';
import { runSeries, type Series, unsteadiness } from '../ground/series.ts';
import { atMost, mean, type PlaneMeasure, type Row, rounded } from '../report/measure.ts';

const GOAL = 1.05;
const CPU_GOAL = 1.2;
const PEAK_GOAL = 110;

/** The size for which the goals of CPU and memory are set. */
const GOAL_SIZE = 1000;

/** A floor that varies more than this from run to run is not a basis for a comparison. */
const STEADY = 1.25;

const secondsOf = (runs: readonly { readonly seconds: number }[]): string =>
  runs.map(({ seconds }) => rounded(seconds)).join(', ');

/** Formats a series: the ratios, then the runs. */
export const resultOf = (series: Series): string => {
  const { ratio, ratioOfBest, cpuRatio, floors, runs } = series;
  const ratios = `${rounded(ratio)} (best ÷ best ${rounded(ratioOfBest)}, CPU of all ${rounded(cpuRatio)})`;
  return `${ratios}; floor ${secondsOf(floors)} s, operator ${secondsOf(runs)} s`;
};

/** Judges the ratio, if the floor was steady enough to do so. */
export const verdictOf = (series: Series, goal: number): Pick<Row, 'verdict' | 'missedBy'> =>
  unsteadiness(series) > STEADY ? { verdict: 'unsteady' } : atMost(series.ratio, goal);

/**
 * Measures how fast the operator follows a driver, compared with a client that only writes, and the resources that it
 * uses.
 */
export const measureP1: PlaneMeasure = async (input) => {
  const { podSets } = input.options;
  const series = await runSeries(input, 'P1', runRunning);
  const cpuSeconds = mean(series.runs.map((run) => run.cpuSeconds));
  const peakMiB = Math.max(...series.runs.map((run) => run.peakMiB));
  const runs = series.runs.map((run) => rounded(run.cpuSeconds)).join(' / ');
  const atSize = (value: number, goal: number) =>
    podSets === GOAL_SIZE ? atMost(value, goal) : ({ verdict: 'note' } as const);
  return [
    {
      id: 'P1',
      measure: `${podSets} PodSets × 3 pods ÷ floor`,
      goal: `≤ ${GOAL}`,
      result: resultOf(series),
      ...verdictOf(series, GOAL),
      figures: { ...series },
      headline: series.ratio,
    },
    {
      id: 'P6b',
      measure: 'CPU of the operator for P1, start not included',
      goal: `≤ ${CPU_GOAL} s for 1,000`,
      result: `${rounded(cpuSeconds)} s (${runs})`,
      ...atSize(cpuSeconds, CPU_GOAL),
      figures: { cpuSeconds, podSets },
      headline: cpuSeconds,
    },
    {
      id: 'P5',
      measure: 'peak RSS of the operator in P1',
      goal: `≤ ${PEAK_GOAL} MiB for 1,000`,
      result: `${rounded(peakMiB)} MiB`,
      ...atSize(peakMiB, PEAK_GOAL),
      figures: { peakMiB, podSets },
      headline: peakMiB,
    },
  ];
};
