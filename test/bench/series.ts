import { cpus, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { runFloor } from './floor.ts';
import type { Ground } from './ground.ts';
import { type MeasureInput, mean } from './measure.ts';
import { clearNamespace } from './pod-sets.ts';
import type { OperatorRun } from './run-operator.ts';

/** Two runs of the operator between two of the floor, on one plane. */
export interface Series {
  /** Mean of the operator's runs ÷ mean of the floor's. */
  readonly ratio: number;
  /** The fastest of each, divided. */
  readonly ratioOfBest: number;
  readonly floorSeconds: readonly number[];
  readonly runs: readonly OperatorRun[];
  /** Load average of the last minute before and after, and how many cores there are to carry it. */
  readonly load: readonly [before: number, after: number];
  readonly cores: number;
}

const WARM_UP = 40;

/** After a run the garbage collector of the control plane still reads what was deleted. */
const SETTLE_MS = 2000;

const floorIn = async (ground: Ground, count: number): Promise<number> => {
  const namespace = await ground.plane.createNamespace('floor');
  const seconds = await runFloor(ground, namespace, count);
  await clearNamespace(ground, namespace);
  await sleep(SETTLE_MS);
  return seconds;
};

/** Floor, operator, operator, floor: whatever drifts in one direction hits both sides alike. */
export const runSeries = async (
  { ground, options: { podSets }, progress }: MeasureInput,
  title: string,
  runOperator: (ground: Ground, count: number) => Promise<OperatorRun>,
): Promise<Series> => {
  progress(`${title}: warm-up`);
  // The first writes of a kind make the API server build its handlers.
  await floorIn(ground, WARM_UP);
  const before = loadavg()[0] ?? 0;
  const floorSeconds: number[] = [];
  const runs: OperatorRun[] = [];
  for (const [index, side] of (['floor', 'operator', 'operator', 'floor'] as const).entries()) {
    progress(`${title}: ${podSets} PodSets, run ${index + 1} of 4 (${side})`);
    if (side === 'floor') {
      floorSeconds.push(await floorIn(ground, podSets));
    } else {
      runs.push(await runOperator(ground, podSets));
      await sleep(SETTLE_MS);
    }
  }
  const seconds = runs.map((run) => run.seconds);
  return {
    ratio: mean(seconds) / mean(floorSeconds),
    ratioOfBest: Math.min(...seconds) / Math.min(...floorSeconds),
    floorSeconds,
    runs,
    load: [before, loadavg()[0] ?? 0],
    cores: cpus().length,
  };
};
