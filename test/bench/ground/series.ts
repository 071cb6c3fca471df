import { cpus, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FloorRun, runFloor } from '../floor/floor.ts';
import { type MeasureInput, mean } from '../report/measure.ts';
import { clearNamespace } from './fleet.ts';
import type { Ground } from './ground.ts';
import type { OperatorRun } from './run-operator.ts';

/** Runs of the operator on one plane, each pair between two runs of the floor. */
export interface Series {
  /** Mean of the operator's runs ÷ mean of the floor's. */
  readonly ratio: number;
  /** The fastest of each, divided. */
  readonly ratioOfBest: number;
  /** CPU time of all processes, operator ÷ floor: the ratio on saturated cores, however busy the machine is. */
  readonly cpuRatio: number;
  readonly floors: readonly FloorRun[];
  readonly runs: readonly OperatorRun[];
  /** Load average of the last minute before and after, and the number of cores. */
  readonly load: readonly [before: number, after: number];
  readonly cores: number;
}

const WARM_UP = 40;

/** After a run the garbage collector of the control plane still handles the deleted objects. */
const SETTLE_MS = 2000;

const floorIn = async (ground: Ground, count: number): Promise<FloorRun> => {
  const namespace = await ground.plane.createNamespace('floor');
  const run = await runFloor(ground, namespace, count);
  await clearNamespace(ground, namespace);
  await sleep(SETTLE_MS);
  return run;
};

/** Floor, operator, operator, floor: a steady drift affects both sides alike. */
export const runSeries = async (
  { ground, options: { podSets, rounds }, progress }: MeasureInput,
  title: string,
  runOperator: (ground: Ground, count: number) => Promise<OperatorRun>,
): Promise<Series> => {
  progress(`${title}: warm-up`);
  // The first writes of a kind make the API server build its handlers.
  await floorIn(ground, WARM_UP);
  const before = loadavg()[0] ?? 0;
  const floors: FloorRun[] = [];
  const runs: OperatorRun[] = [];
  const sides = Array.from({ length: rounds }, () => ['floor', 'operator', 'operator', 'floor'] as const).flat();
  for (const [index, side] of sides.entries()) {
    progress(`${title}: ${podSets} PodSets, run ${index + 1} of ${sides.length} (${side})`);
    if (side === 'floor') {
      floors.push(await floorIn(ground, podSets));
    } else {
      runs.push(await runOperator(ground, podSets));
      await sleep(SETTLE_MS);
    }
  }
  const ratioOf = (pick: (values: readonly number[]) => number, field: 'seconds' | 'allCpuSeconds'): number =>
    pick(runs.map((run) => run[field])) / pick(floors.map((run) => run[field]));
  return {
    ratio: ratioOf(mean, 'seconds'),
    ratioOfBest: ratioOf((values) => Math.min(...values), 'seconds'),
    cpuRatio: ratioOf(mean, 'allCpuSeconds'),
    floors,
    runs,
    load: [before, loadavg()[0] ?? 0],
    cores: cpus().length,
  };
};

/** The slowest floor ÷ the fastest; a high value means that the machine was busy and the ratio is not reliable. */
export const unsteadiness = ({ floors }: Series): number => {
  const seconds = floors.map((run) => run.seconds);
  return Math.max(...seconds) / Math.min(...seconds);
};
