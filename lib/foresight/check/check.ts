import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { ConfigurationError, InvalidScriptError, isReconcileError, SimulationError } from '#lib/errors.ts';
import { KnownKinds } from '#lib/foresight/simulate/known-kinds.ts';
import { emptyScript, readScript, type Script } from '#lib/foresight/simulate/script.ts';
import type { JsonObject } from '#lib/json.ts';
import { simulationOf } from '#lib/sim/cluster.ts';
import type { ChaosOptions } from '#lib/sim/explore/chaos.ts';
import { explore } from '#lib/sim/explore/explore.ts';
import type { Failure } from '#lib/sim/explore/failure.ts';
import { prepared, problemOf, runUndisturbed, type Simulation, type Undisturbed } from '#lib/sim/explore/run.ts';
import { search } from '#lib/sim/explore/search.ts';
import { runCalmly } from '#lib/sim/world/calm.ts';
import type { Invariant, Scenario } from '#lib/sim/world/scenario.ts';
import type { FaultClass } from '#lib/sim/world/step.ts';
import { World } from '#lib/sim/world/world.ts';
import { builtInInvariants } from './bounds.ts';
import { outcomeOf } from './outcome.ts';
import { scriptSteps } from './script-steps.ts';

/** What is checked, and how long. */
export interface CheckOptions {
  /** Those that the operator runs. */
  readonly kinds: readonly AnyKindDefinition[];
  readonly manifests?: readonly JsonObject[];
  /** What users do then, in this order; times do not matter. @default nothing */
  readonly script?: Script;
  /** Manifests by the names that the script gives their files. @default none */
  readonly files?: Readonly<Record<string, readonly JsonObject[]>>;
  /** What must hold besides, made anew for each run. @default nothing */
  readonly invariants?: () => readonly Invariant[];
  /** The first seed. @default 1 */
  readonly seed?: number;
  /** How many random schedules are tried. @default 300 */
  readonly schedules?: number;
  /** How many states are searched before that, nearest first; 0 for none. @default 300 */
  readonly states?: number;
  /** Misfortunes that are left out. @default clocks that jump */
  readonly without?: readonly FaultClass[];
  /** Asked between schedules whether time is up. @default never */
  readonly isOver?: () => boolean;
  /** Ends the check without a report, with the signal's reason. @default never */
  readonly signal?: AbortSignal;
  /** Of objects that name none. @default 'default' */
  readonly namespace?: string;
}

/** What a check found, or not. */
export interface CheckReport {
  /** Random schedules that were tried. */
  readonly schedules: number;
  /** States that the search reached. */
  readonly states: number;
  /** True when the search reached every state within its budget. */
  readonly isExhausted: boolean;
  /** How it was found: without any misfortune, by search, or by a random schedule. */
  readonly way?: 'undisturbed' | 'search' | 'schedule';
  /** The shortest run known that goes wrong. */
  readonly failure?: Failure;
}

/** So many requests while nothing changes are no rest: one in ten seconds. */
const HOT_REQUESTS = 70;

const DEFAULT_WITHOUT: readonly FaultClass[] = ['clock jump'];

/** What has not come to rest by then, in virtual time, never does. */
const LONGEST_MS = 6 * 3_600_000;

/** What is checked, and what its script has missed so far. */
interface Prepared {
  readonly simulation: Simulation;
  readonly missed: InvalidScriptError[];
}

const simulationFor = (options: CheckOptions): Prepared => {
  const {
    kinds,
    manifests = [],
    script = {},
    files = {},
    namespace = 'default',
    invariants = () => [],
    signal,
  } = options;
  const missed: InvalidScriptError[] = [];
  const onMissed = (error: InvalidScriptError): void => void missed.push(error);
  const known = new KnownKinds(kinds);
  const steps = scriptSteps(manifests, readScript(script), { kinds: known, namespace, files, onMissed });
  if (steps.length === 0) throw emptyScript();
  const scenario: Scenario = {
    name: script.title ?? `check of ${kinds.map(({ kind }) => kind).join(', ')}`,
    kinds,
    script: steps,
    invariants: () => [...builtInInvariants(kinds), ...invariants()],
    outcome: outcomeOf(kinds),
  };
  return { simulation: simulationOf(scenario, { calm: { maxMs: LONGEST_MS, ...(signal && { signal }) } }), missed };
};

/** The undisturbed run once more, for its trace. */
const undisturbedFailure = async (simulation: Simulation, error: SimulationError): Promise<Failure> => {
  const { scenario, createServer } = simulation;
  const world = new World({ scenario, seed: 0, createServer });
  await runCalmly(world, simulation.calm).catch(problemOf);
  const trace = world.trace.entries;
  return { scenario: scenario.name, seed: 0, problem: problemOf(error), schedule: [], trace, found: [], runs: 0 };
};

const hotLoop = ({ requestsAtRest }: Undisturbed): SimulationError | undefined =>
  requestsAtRest <= HOT_REQUESTS
    ? undefined
    : new SimulationError(
        `Hot loop: ${requestsAtRest} requests are sent in 700 s in which nothing changes, even undisturbed`,
      );

/** What stands in the way of a check is told as it is. */
const scriptErrorIn = (error: unknown): InvalidScriptError | undefined => {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof InvalidScriptError) return at;
  return undefined;
};

const seeds = function* (first: number, count: number, isOver: () => boolean): Generator<number> {
  for (let seed = first; seed < first + count; seed += 1) {
    // One is always tried: there is no answer without any.
    if (seed > first && isOver()) return;
    yield seed;
  }
};

const chaosOf = ({ without = DEFAULT_WITHOUT }: CheckOptions): ChaosOptions => ({
  weights: Object.fromEntries(without.map((name) => [name, 0])),
});

const MAX_SHRINK_RUNS = 200;

/**
 * Looks for a way in which a kind goes wrong: states near the start one by one, then random schedules with misfortunes.
 *
 * Flow: undisturbed run → breadth-first search with a crash → random schedules → what is found is shrunk.
 *
 * Guarantees: the same options give the same report, unless `isOver` looks at a clock. What is reported can be run again from its seed.
 *
 * Caveats: nothing found is no proof, unless the search is exhausted, and then only of its small budget. The outcome that must be the
 * same in the end is coarse: conditions Ready and Stalled, numbers and images of children.
 *
 * @throws {InvalidScriptError} for a script that is malformed, or asks for what is impossible
 * @throws {ConfigurationError} for numbers that make no sense
 * @example
 * const { failure } = await check({ kinds: [podSet], manifests });
 * if (failure) console.log(findingText(failure));
 */
export const check = async (options: CheckOptions): Promise<CheckReport> => {
  const { seed = 1, schedules = 300, states = 300, isOver = () => false } = options;
  for (const [name, value] of Object.entries({ seed, schedules, states })) {
    if (!Number.isSafeInteger(value) || (name !== 'seed' && value < 0)) {
      throw new ConfigurationError(`Cannot check: ${name} is ${value}; it must be a whole number, 0 or more`);
    }
  }
  const { simulation: given, missed } = simulationFor(options);
  const simulation = prepared(given);
  const none = { schedules: 0, states: 0, isExhausted: false };
  let expected: Undisturbed;
  try {
    expected = await runUndisturbed(simulation);
    // What is not there even when everything has come to rest is not there at all.
    if (missed[0]) throw missed[0];
    const hot = hotLoop(expected);
    if (hot !== undefined) throw hot;
  } catch (error) {
    const scriptError = scriptErrorIn(error);
    if (scriptError !== undefined) throw scriptError;
    if (!(isReconcileError(error) && error instanceof SimulationError)) throw error;
    return { ...none, way: 'undisturbed', failure: await undisturbedFailure(simulation, error) };
  }
  const without = options.without ?? DEFAULT_WITHOUT;
  const budget = without.includes('crash') ? {} : { crash: 1 };
  const searched = states === 0 ? undefined : await search(simulation, { maxStates: states, budget, expected });
  const found = { ...none, states: searched?.states ?? 0, isExhausted: searched?.isExhausted ?? false };
  if (searched?.failure !== undefined) return { ...found, way: 'search', failure: searched.failure };
  if (schedules === 0) return found;
  const explored = await explore(simulation, {
    ...chaosOf(options),
    seeds: seeds(seed, schedules, isOver),
    expected,
    maxShrinkRuns: MAX_SHRINK_RUNS,
  });
  const [failure] = explored.failures;
  return { ...found, schedules: explored.schedules, ...(failure && { way: 'schedule' as const, failure }) };
};
