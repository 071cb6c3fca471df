import { SimulationError } from '#lib/errors.ts';
import { type ChaosOptions, takeRandomSteps } from './chaos.ts';
import { assertClasses, assertNumbers, assertSeed } from './check-options.ts';
import { CoverageRecorder, type FaultCoverage } from './coverage.ts';
import { type Failure, shrinkFailure } from './failure.ts';
import { prepared, type Run, runDisturbed, runUndisturbed, type Simulation, type Undisturbed } from './run.ts';
import { keepNewObjectsYoung } from './young-objects.ts';

/** Options for {@link explore}. */
export interface ExploreOptions extends ChaosOptions {
  /** The seeds to run. Each seed gives one random schedule. */
  readonly seeds: Iterable<number>;
  /** The number of failures after which the exploration stops. @default 1 */
  readonly maxFailures?: number;
  /** Maximum number of runs to find a shorter schedule for one failure. @default 1000 */
  readonly maxShrinkRuns?: number;
  /** The result of the run without faults. @default computed before the exploration */
  readonly expected?: Undisturbed;
}

/** The result of an exploration: the number of schedules and steps that ran, the failures, and the coverage of faults. */
export interface Exploration {
  readonly schedules: number;
  readonly steps: number;
  readonly failures: readonly Failure[];
  readonly coverage: FaultCoverage;
}

/**
 * Returns a range of seeds: consecutive integers.
 *
 * @throws {SimulationError} for a count below 1, and for a value that is not an integer
 */
export const seedsFrom = (first: number, count: number): number[] => {
  assertNumbers({ first }, { of: 'count seeds', min: -Infinity });
  assertNumbers({ count }, { of: 'count seeds', min: 1 });
  return Array.from({ length: count }, (_, index) => first + index);
};

const assertChaos = ({ steps, faults, weights = {} }: ChaosOptions, of: string): void => {
  assertNumbers({ steps }, { of, min: 1 });
  assertNumbers({ faults }, { of });
  assertNumbers(weights, { of, mayBeFraction: true });
  assertClasses(weights, { of });
};

const assertOptions = ({ seeds, maxFailures, maxShrinkRuns, ...chaos }: ExploreOptions): void => {
  assertChaos(chaos, 'explore');
  assertNumbers({ maxFailures }, { of: 'explore', min: 1 });
  assertNumbers({ maxShrinkRuns }, { of: 'explore' });
  if (Array.isArray(seeds)) seeds.forEach(assertSeed);
  const isList = typeof (seeds as unknown) === 'object' && Symbol.iterator in seeds;
  if (!isList) throw new SimulationError(`Cannot explore: seeds is ${typeof seeds}; it must be a list of integers`);
};

/**
 * Runs the random schedule of one seed.
 *
 * @throws {SimulationError} for a seed that is not an integer, and for invalid options
 */
export const runSeed = async (
  simulation: Simulation,
  seed: number,
  { expected, ...chaos }: ChaosOptions & { readonly expected: Undisturbed },
): Promise<Run> => {
  assertSeed(seed);
  assertChaos(chaos, 'run a seed');
  return runDisturbed(simulation, async (world) => takeRandomSteps(world, seed, chaos), { seed, expected });
};

/**
 * Runs a scenario with random schedules. In the first part of a run, steps happen in any order, with delays and faults. In
 * the second part, only steps without faults happen, until the cluster is at rest. If a schedule fails, the function searches
 * for a shorter schedule with the same failure.
 *
 * **Guarantees**: the same seeds give the same traces, byte for byte.
 *
 * **Caveats**: the function changes a setting of V8 for the rest of the process: {@link keepNewObjectsYoung}.
 *
 * @throws {SimulationError} when the scenario is invalid or already fails without faults, for invalid options, and for an empty
 *   list of seeds
 * @throws {InvalidDefinitionError} when a definition cannot be compiled
 * @example
 * const { failures } = await explore({ scenario, createServer }, { seeds: seedsFrom(1, 1000) });
 * for (const failure of failures) console.log(failureInWords(failure));
 */
export const explore = async (given: Simulation, options: ExploreOptions): Promise<Exploration> => {
  assertOptions(options);
  keepNewObjectsYoung();
  const simulation = prepared(given);
  const { seeds, maxFailures = 1, maxShrinkRuns, expected = await runUndisturbed(simulation), ...chaos } = options;
  const failures: Failure[] = [];
  const coverage = new CoverageRecorder();
  let [schedules, steps] = [0, 0];
  for (const seed of seeds) {
    const run = await runSeed(simulation, seed, { ...chaos, expected });
    schedules += 1;
    steps += run.trace.length;
    coverage.add(run.trace);
    const { problem } = run;
    if (problem === undefined) continue;
    const limit = maxShrinkRuns === undefined ? {} : { maxRuns: maxShrinkRuns };
    failures.push(await shrinkFailure(simulation, { ...run, problem }, { seed, expected, ...limit }));
    if (failures.length >= maxFailures) break;
  }
  if (schedules === 0)
    throw new SimulationError('Cannot explore: there are no seeds; name one at least, as by seedsFrom(1, 300)');
  return { schedules, steps, failures, coverage: coverage.report() };
};
