import { type FirstStatus, runRunning } from '../ground/run-fleet.ts';
import { runSeries, type Series, unsteadiness } from '../ground/series.ts';
import { atMost, type MeasureInput, mean, type PlaneMeasure, type Row, rounded } from '../report/measure.ts';

const GOAL = 1.15;
const CPU_GOAL = 1.7;
const PEAK_GOAL = 110;
const FIRST_STATUS_GOALS = { p50: 10, p99: 30 } as const;

/** The size for which the goals of CPU, memory and first status are set. */
const GOAL_SIZE = 1000;

/** The highest factor between two runs of the floor; a floor that varies more is no basis for a comparison. */
const STEADY = 1.25;

const listOf = (values: readonly number[]): string => values.map(rounded).join(', ');

const secondsOf = (runs: readonly { readonly seconds: number }[]): string => listOf(runs.map(({ seconds }) => seconds));

/** Formats a series: the ratios, then the runs. */
export const resultOf = (series: Series): string => {
  const { ratio, ratioOfBest, cpuRatio, ratioToBare, floors, bares, runs } = series;
  const more = `best ÷ best ${rounded(ratioOfBest)}, CPU of all ${rounded(cpuRatio)}, ÷ bare ${rounded(ratioToBare)}`;
  const times = `floor ${secondsOf(floors)} s, bare ${secondsOf(bares)} s, operator ${secondsOf(runs)} s`;
  return `${rounded(ratio)} (${more}); ${times}`;
};

/** Judges the ratio, if the floor was steady enough to do so. */
export const verdictOf = (series: Series, goal: number): Pick<Row, 'verdict' | 'missedBy'> =>
  unsteadiness(series) > STEADY ? { verdict: 'unsteady' } : atMost(series.ratio, goal);

const atSize = (podSets: number, value: number, goal: number): Pick<Row, 'verdict' | 'missedBy'> =>
  podSets === GOAL_SIZE ? atMost(value, goal) : { verdict: 'note' };

const cpuRow = ({ cpuRatioToBare, runs, bares }: Series, podSets: number): Row => {
  const [own, bare] = [runs, bares].map((all) => all.map(({ cpuSeconds }) => cpuSeconds)) as [number[], number[]];
  return {
    id: 'P6b',
    measure: `CPU of the operator for P1 with ${podSets} PodSets ÷ a bare client with the same writes and watches`,
    goal: `≤ ${CPU_GOAL} for ${GOAL_SIZE}`,
    result: `${rounded(cpuRatioToBare)} (${listOf(own)} s ÷ ${listOf(bare)} s)`,
    ...atSize(podSets, cpuRatioToBare, CPU_GOAL),
    figures: { cpuRatioToBare, operator: own, bare, podSets },
    headline: cpuRatioToBare,
  };
};

const peakRow = ({ runs }: Series, podSets: number): Row => {
  const peakMiB = Math.max(...runs.map((run) => run.peakMiB));
  return {
    id: 'P5',
    measure: `peak RSS of the operator in P1 with ${podSets} PodSets`,
    goal: `≤ ${PEAK_GOAL} MiB for 1,000`,
    result: `${rounded(peakMiB)} MiB`,
    ...atSize(podSets, peakMiB, PEAK_GOAL),
    figures: { peakMiB, podSets },
    headline: peakMiB,
  };
};

const firstStatusRow = ({ runs, bares }: Series, name: keyof FirstStatus, podSets: number): Row => {
  const percents = (all: Series['runs']): number[] =>
    all.map(({ firstStatus }) => 100 * (firstStatus?.[name] ?? Number.NaN));
  const percent = mean(percents(runs));
  const goal = FIRST_STATUS_GOALS[name];
  return {
    id: 'P1s',
    measure: `creation of one of ${podSets} PodSets → its first status, % of the time until all have converged, ${name}`,
    goal: `≤ ${goal} %`,
    result: `${rounded(percent)} % (bare ${listOf(percents(bares))} %)`,
    ...atSize(podSets, percent, goal),
    figures: { operator: percents(runs), bare: percents(bares), podSets },
    headline: percent,
  };
};

/**
 * Measures how fast the operator follows a driver, compared with a client that only writes, and the resources that it
 * uses, compared with a client that also watches.
 */
export const measureP1: PlaneMeasure = async (input: MeasureInput) => {
  const { podSets } = input.options;
  const series = await runSeries(input, 'P1', runRunning);
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
    firstStatusRow(series, 'p50', podSets),
    firstStatusRow(series, 'p99', podSets),
    cpuRow(series, podSets),
    peakRow(series, podSets),
  ];
};
