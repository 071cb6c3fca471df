import { clockText, durationText } from '#lib/foresight/simulate/script/time-text.ts';
import type { ResourceRuns, SimulationRuns } from './simulate-runs.ts';

const BAR = 40;
/** Maximum number of resources with a histogram. */
const MOST_SHOWN = 10;

const countText = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

/** Describes the worst run of a resource: `In 500 runs, the ready pods of PodSet default/web never fell below 9.` */
export const runsVerdict = ({ object, worst, neverComplete }: ResourceRuns, runs: number): string => {
  if (worst === undefined) return `In ${countText(runs, 'run')}, the pods of ${object} were never complete.`;
  const least = `the ready pods of ${object} never fell below ${worst.ready}`;
  const complete = runs - neverComplete;
  const others = neverComplete === 0 ? '' : ` In ${countText(neverComplete, 'other run')}, they were never complete.`;
  return `In ${countText(complete, 'run')}, ${least}. The lowest run has the seed ${worst.seed}, at ${clockText(worst.atMs)}.${others}`;
};

const barsOf = ({ histogram }: ResourceRuns): readonly string[] => {
  const most = Math.max(...histogram.map(({ runs }) => runs));
  return histogram.map(({ ready, runs }) => {
    const bar = '█'.repeat(Math.max(1, Math.round((runs / most) * BAR)));
    return `  ${String(ready).padStart(5)} ready  ${bar} ${countText(runs, 'run')}`;
  });
};

/** Formats many runs: for up to ten resources, the worst run and a histogram of the fewest ready pods. */
export const runsText = ({ title, runs, firstSeed, durationMs, resources }: SimulationRuns): string => {
  const seeds = runs === 1 ? `seed ${firstSeed}` : `seeds ${firstSeed} to ${firstSeed + runs - 1}`;
  const rest = resources.length - MOST_SHOWN;
  return [
    `${title}: ${countText(runs, 'run')}, ${seeds}, up to ${durationText(durationMs)} of virtual time`,
    ...resources.slice(0, MOST_SHOWN).flatMap((one) => ['', runsVerdict(one, runs), ...barsOf(one)]),
    ...(rest > 0 ? ['', `… and ${countText(rest, 'resource')} with as many ready pods or more (-o json has all)`] : []),
    ...(resources.length === 0 ? ['', 'No resource had pods.'] : []),
    '',
  ].join('\n');
};
