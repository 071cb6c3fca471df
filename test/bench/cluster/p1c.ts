import { runLate } from '../ground/run-fleet.ts';
import { runSeries } from '../ground/series.ts';
import type { PlaneMeasure } from '../report/measure.ts';
import { resultOf, verdictOf } from './p1.ts';

const GOAL = 1.25;

/** As P1, but the operator starts when all PodSets exist: its start counts, the driver's creates do not. */
export const measureP1c: PlaneMeasure = async (input) => {
  const series = await runSeries(input, 'P1c', runLate);
  return [
    {
      id: 'P1c',
      measure: `${input.options.podSets} waiting PodSets, start of the operator included ÷ floor`,
      goal: `≤ ${GOAL}`,
      result: resultOf(series),
      ...verdictOf(series, GOAL),
      figures: { ...series },
      headline: series.ratio,
    },
  ];
};
