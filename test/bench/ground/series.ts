import { cpus, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Contender } from '../floor/bare-process.ts';
import { type FloorRun, runFloor } from '../floor/floor.ts';
import { type MeasureInput, mean } from '../report/measure.ts';
import { clearNamespace } from './fleet.ts';
import type { Ground } from './ground.ts';
import type { FleetRun, FleetRunOptions } from './run-fleet.ts';

/** The operator's runs ÷ other runs of the same series, means unless said otherwise. */
export interface Ratios {
  /** Time, operator ÷ floor. */
  readonly ratio: number;
  /** Time of the fastest run, operator ÷ floor. */
  readonly ratioOfBest: number;
  /** CPU time of all processes, operator ÷ floor: the ratio on saturated cores, however busy the machine is. */
  readonly cpuRatio: number;
  /** Time, operator ÷ bare operator. */
  readonly ratioToBare: number;
  /** CPU time of the process, operator ÷ bare operator. */
  readonly cpuRatioToBare: number;
}

/** Runs on one plane: floor and bare operator before and after the operator. */
export interface Series extends Ratios {
  readonly floors: readonly FloorRun[];
  /** Runs of the bare operator: the same requests and watches as the operator. */
  readonly bares: readonly FleetRun[];
  readonly runs: readonly FleetRun[];
  /** Load average of the last minute before and after, and the number of cores. */
  readonly load: readonly [before: number, after: number];
  readonly cores: number;
}

const WARM_UP = 40;

/** After a run the garbage collector of the control plane still handles the deleted objects. */
const SETTLE_MS = 2000;

/** In this order, a steady drift of the machine affects all sides alike. */
const SIDES = ['floor', 'bare', 'operator', 'operator', 'bare', 'floor'] as const;

const floorIn = async (ground: Ground, count: number): Promise<FloorRun> => {
  const namespace = await ground.plane.createNamespace('floor');
  const run = await runFloor(ground, namespace, count);
  await clearNamespace(ground, namespace);
  return run;
};

/** The operator of the repository, as a program under measurement. */
const operatorOf = ({ startOperator, spawnOperator }: Ground): Contender => ({
  start: () => startOperator(),
  spawn: () => spawnOperator(),
});

const meanOf = <Field extends string>(all: readonly Readonly<Record<Field, number>>[], field: Field): number =>
  mean(all.map((run) => run[field]));

const best = (all: readonly { readonly seconds: number }[]): number => Math.min(...all.map(({ seconds }) => seconds));

/** Divides the means of a series. */
export const ratiosOf = ({ floors, bares, runs }: Pick<Series, 'floors' | 'bares' | 'runs'>): Ratios => {
  return {
    ratio: meanOf(runs, 'seconds') / meanOf(floors, 'seconds'),
    ratioOfBest: best(runs) / best(floors),
    cpuRatio: meanOf(runs, 'allCpuSeconds') / meanOf(floors, 'allCpuSeconds'),
    ratioToBare: meanOf(runs, 'seconds') / meanOf(bares, 'seconds'),
    cpuRatioToBare: meanOf(runs, 'cpuSeconds') / meanOf(bares, 'cpuSeconds'),
  };
};

/** Takes the runs of a series. */
export const runSeries = async (
  { ground, options: { podSets: count, rounds }, progress }: MeasureInput,
  title: string,
  runWith: (ground: Ground, options: FleetRunOptions) => Promise<FleetRun>,
): Promise<Series> => {
  progress(`${title}: warm-up`);
  // The first writes of a kind make the API server build its handlers.
  await floorIn(ground, WARM_UP);
  const before = loadavg()[0] ?? 0;
  const [floors, bares, runs] = [[] as FloorRun[], [] as FleetRun[], [] as FleetRun[]];
  const takeOne = {
    floor: async () => void floors.push(await floorIn(ground, count)),
    bare: async () => void bares.push(await runWith(ground, { contender: ground.bareOperator, count })),
    operator: async () => void runs.push(await runWith(ground, { contender: operatorOf(ground), count })),
  };
  const sides = Array.from({ length: rounds }, () => SIDES).flat();
  for (const [index, side] of sides.entries()) {
    await sleep(SETTLE_MS);
    progress(`${title}: ${count} PodSets, run ${index + 1} of ${sides.length} (${side})`);
    await takeOne[side]();
  }
  await sleep(SETTLE_MS);
  const load = [before, loadavg()[0] ?? 0] as const;
  return { ...ratiosOf({ floors, bares, runs }), floors, bares, runs, load, cores: cpus().length };
};

/** The slowest floor ÷ the fastest; a high value means that the machine was busy and the ratio is not reliable. */
export const unsteadiness = ({ floors }: Series): number => {
  const seconds = floors.map((run) => run.seconds);
  return Math.max(...seconds) / Math.min(...seconds);
};
