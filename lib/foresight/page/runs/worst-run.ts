import type { SimulationReport } from '#lib/foresight/simulate/report/report.ts';
import { histogramBars } from '#lib/foresight/simulate/runs/histogram-bars.ts';
import { runsVerdict } from '#lib/foresight/simulate/runs/runs-text.ts';
import type { SimulationRuns } from '#lib/foresight/simulate/runs/simulate-runs.ts';
import type { ReportHistogram, ReportRun } from '../report-run.ts';
import type { RunRecorder } from '../run-recorder.ts';
import { simulationRun } from './simulation-run.ts';

/** Maximum number of histograms. */
const MOST_SHOWN = 6;

const histogramsOf = ({ runs, resources }: SimulationRuns): readonly ReportHistogram[] =>
  resources.slice(0, MOST_SHOWN).map((one) => ({
    title: runsVerdict(one, runs),
    heads: ['Ready', 'Runs'],
    bars: histogramBars(one).map(({ label, runs: count }) => [label, count]),
  }));

/** The seed of the run with the fewest ready pods; the first seed if the pods of no resource were ever complete. */
export const worstSeed = ({ firstSeed, resources }: Pick<SimulationRuns, 'firstSeed' | 'resources'>): number =>
  resources.find(({ worst }) => worst !== undefined)?.worst?.seed ?? firstSeed;

/**
 * The data of a report page about many runs of a simulation: the run of {@link worstSeed}, and histograms of all runs.
 *
 * @param all - the result of all runs
 * @param report - the result of the simulation with this seed
 * @param recorder - the listener of the same simulation
 */
export const worstRun = (all: SimulationRuns, report: SimulationReport, recorder: RunRecorder): ReportRun => {
  const run = simulationRun(report, recorder);
  const rest = all.resources.length - MOST_SHOWN;
  return {
    ...run,
    facts: [`${all.runs} runs; the page shows the run with the fewest ready pods`, ...run.facts],
    notes: [...run.notes, ...(rest > 0 ? [`${rest} more resources have no histogram.`] : [])],
    histograms: histogramsOf(all),
  };
};
