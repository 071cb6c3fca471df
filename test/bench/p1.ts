import { atMost, mean, type PlaneMeasure, rounded } from './measure.ts';
import { runRunning } from './run-operator.ts';
import { runSeries, type Series } from './series.ts';

const GOAL = 1.05;
const CPU_GOAL = 1.2;
const PEAK_GOAL = 110;

/** The size for which the goals of CPU and memory are set. */
const GOAL_SIZE = 1000;

const perSide = ({ floorSeconds, runs }: Series): string => {
  const all = [floorSeconds[0], ...runs.map(({ seconds }) => seconds), floorSeconds[1]];
  return all.map((seconds) => rounded(seconds ?? 0)).join(' / ');
};

/** How a series reads: the ratio, and the four runs in their order. */
export const resultOf = (series: Series): string =>
  `${rounded(series.ratio)} (best ÷ best ${rounded(series.ratioOfBest)}); floor / operator / operator / floor ${perSide(series)} s`;

/** How fast the operator keeps up with a driver, compared with a client that only writes; what it used meanwhile. */
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
      ...atMost(series.ratio, GOAL),
      figures: { ...series },
    },
    {
      id: 'P6b',
      measure: 'CPU of the operator for P1, start not included',
      goal: `≤ ${CPU_GOAL} s for 1,000`,
      result: `${rounded(cpuSeconds)} s (${runs})`,
      ...atSize(cpuSeconds, CPU_GOAL),
      figures: { cpuSeconds, podSets },
    },
    {
      id: 'P5',
      measure: 'peak RSS of the operator in P1, not bundled',
      goal: `≤ ${PEAK_GOAL} MiB for 1,000`,
      result: `${rounded(peakMiB)} MiB`,
      ...atSize(peakMiB, PEAK_GOAL),
      figures: { peakMiB, podSets },
    },
  ];
};
