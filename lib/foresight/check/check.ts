import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { operatorPlaceAmong } from '#lib/desired/marks/operator-place.ts';
import { ConfigurationError, InvalidScriptError, isReconcileError, SimulationError } from '#lib/errors.ts';
import { assertRunnable, kindsByService, leftOutNotes } from '#lib/foresight/served/unserved.ts';
import { emptyScript, readScript, type Script } from '#lib/foresight/simulate/script/script.ts';
import { KnownKinds } from '#lib/foresight/simulate/targets/known-kinds.ts';
import type { JsonObject } from '#lib/json.ts';
import { createClusterServer, simulationOf } from '#lib/sim/cluster.ts';
import type { ChaosOptions } from '#lib/sim/explore/chaos.ts';
import type { FaultCoverage } from '#lib/sim/explore/coverage.ts';
import { explore } from '#lib/sim/explore/explore.ts';
import type { Failure } from '#lib/sim/explore/failure.ts';
import { prepared, problemOf, runUndisturbed, type Simulation, type Undisturbed } from '#lib/sim/explore/run.ts';
import { search } from '#lib/sim/explore/search.ts';
import { runCalmly } from '#lib/sim/world/calm.ts';
import { installKinds } from '#lib/sim/world/scenario/crd.ts';
import type { Invariant, Scenario } from '#lib/sim/world/scenario/scenario.ts';
import type { FaultClass } from '#lib/sim/world/step/step.ts';
import { World } from '#lib/sim/world/world.ts';
import { builtInInvariants } from './bounds.ts';
import { outcomeOf } from './outcome.ts';
import { scriptSteps } from './script-steps.ts';

/** Options for {@link check}. */
export interface CheckOptions {
  /** The kinds that the operator runs. */
  readonly kinds: readonly AnyKindDefinition[];
  readonly manifests?: readonly JsonObject[];
  /** Changes by users, in this order. The check ignores the times of the changes. @default none */
  readonly script?: Script;
  /** The manifests that the script refers to, by the file name in the script. @default none */
  readonly files?: Readonly<Record<string, readonly JsonObject[]>>;
  /** Makes further invariants for each run. @default none */
  readonly invariants?: () => readonly Invariant[];
  /** The first seed. @default 1 */
  readonly seed?: number;
  /** Number of random schedules. @default 300 */
  readonly schedules?: number;
  /** Number of states to search before the random schedules. States near the start come first; 0 means no search. @default 300 */
  readonly states?: number;
  /**
   * Fault classes that the check does not inject, in addition to `stale list`, which it never injects.
   *
   * @default the class `clock jump`
   */
  readonly without?: readonly FaultClass[];
  /** Called between schedules; the check ends when the function returns true. @default never */
  readonly isOver?: () => boolean;
  /** Aborts the check with the signal's reason, without a report. @default never */
  readonly signal?: AbortSignal;
  /** Namespace of objects without a namespace. @default 'default' */
  readonly namespace?: string;
}

/** Result of a check. */
export interface CheckReport {
  /** Number of random schedules that the check ran. */
  readonly schedules: number;
  /** Number of states reached by the search. */
  readonly states: number;
  /** The search reached every state within its budget and at most this number of steps from the start. */
  readonly completeDepth: number;
  /** Whether the search reached every state within its budget: two advances of time, and one crash unless `without` excludes it. */
  readonly isExhausted: boolean;
  /** Number of states after which the search tried no event, because it had reached its maximum number of states. */
  readonly untried: number;
  /** Which faults the random schedules injected into which writes; absent if no random schedule ran. */
  readonly coverage?: FaultCoverage;
  /** How the failure was found: without a fault, by search, or by a random schedule. */
  readonly way?: 'undisturbed' | 'search' | 'schedule';
  /** The failing run, with the shortest known schedule. */
  readonly failure?: Failure;
  /** Sentences about kinds that the check leaves out, because the virtual cluster cannot run them. */
  readonly notes: readonly string[];
}

/** Maximum number of requests in 700 seconds without a change: one in ten seconds. A run with more requests has a hot loop. */
const HOT_REQUESTS = 70;

const DEFAULT_WITHOUT: readonly FaultClass[] = ['clock jump'];

/** Maximum virtual time of a run until the cluster is at rest, in milliseconds. A longer run counts as one that never settles. */
const LONGEST_MS = 6 * 3_600_000;

/** A prepared simulation, and the steps of its script that were not possible so far. */
export interface PreparedCheck {
  readonly simulation: Simulation;
  readonly missed: InvalidScriptError[];
  readonly notes: readonly string[];
}

/**
 * A server with the CustomResourceDefinitions of the kinds that the check leaves out, because other kinds may own these kinds.
 * The scenario installs those of all other kinds.
 */
const serverWith = (leftOut: CheckOptions['kinds'], now: () => number): ReturnType<typeof createClusterServer> => {
  const server = createClusterServer(now);
  installKinds(server, leftOut);
  return server;
};

/** Prepares the simulation of a check. */
export const simulationFor = (options: CheckOptions): PreparedCheck => {
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
  const byService = kindsByService(kinds, { cluster: 'virtual' });
  const objects = [...manifests, ...Object.values(files).flat()];
  assertRunnable(byService, objects);
  const { served, unserved } = byService;
  const known = new KnownKinds(kinds);
  const steps = scriptSteps(manifests, readScript(script), { kinds: known, namespace, files, onMissed });
  if (steps.length === 0) throw emptyScript();
  const scenario: Scenario = {
    name: script.title ?? `check of ${kinds.map(({ kind }) => kind).join(', ')}`,
    kinds: served,
    ownNamespace: operatorPlaceAmong(objects),
    script: steps,
    invariants: () => [...builtInInvariants(served), ...invariants()],
    outcome: outcomeOf(served),
  };
  const simulation = simulationOf(scenario, { calm: { maxMs: LONGEST_MS, ...(signal && { signal }) } });
  const leftOut = unserved.map(({ definition }) => definition);
  const notes = leftOutNotes(byService);
  if (leftOut.length === 0) return { simulation, missed, notes };
  return { simulation: { ...simulation, createServer: (now) => serverWith(leftOut, now) }, missed, notes };
};

/** Repeats the run without faults, to record its trace. */
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
    : new SimulationError(`Hot loop: ${requestsAtRest} requests are sent in 700 s without a change, even undisturbed`);

/** Finds the error of the script among the causes of an error. */
const scriptErrorIn = (error: unknown): InvalidScriptError | undefined => {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof InvalidScriptError) return at;
  return undefined;
};

const seeds = function* (first: number, count: number, isOver: () => boolean): Generator<number> {
  for (let seed = first; seed < first + count; seed += 1) {
    // At least one schedule runs, even if the check is already over.
    if (seed > first && isOver()) return;
    yield seed;
  }
};

const chaosOf = ({ without = DEFAULT_WITHOUT }: CheckOptions): ChaosOptions => ({
  weights: Object.fromEntries(without.map((name) => [name, 0])),
});

const MAX_SHRINK_RUNS = 200;

/**
 * Searches for a schedule under which a kind fails. The check first visits states near the start, one by one. After that, it runs
 * random schedules with faults.
 *
 * Flow: run without faults → breadth-first search with at most one crash → random schedules → search for a shorter schedule with
 * the same failure.
 *
 * Guarantees: equal options give equal reports, unless `isOver` reads a clock. A reported failure can be repeated from its seed
 * and schedule.
 *
 * Caveats: a report without a failure proves the absence of failures only if the search is exhausted, and only within the budget
 * of the search. The compared outcome is coarse: the conditions Ready and Stalled, and the kinds, replicas, images and readiness
 * of children. The function sets the V8 option `--no-allocation-site-pretenuring` for the rest of the process.
 *
 * @throws {InvalidScriptError} for a malformed script, or an impossible step
 * @throws {ConfigurationError} for invalid numbers
 * @throws {SimulationError} for an unknown fault class in `without`
 * @throws {InvalidDefinitionError} when a definition cannot be compiled
 * @throws {UnservedKindError} when the virtual cluster cannot run the kind of a manifest, or can run none of the kinds
 * @example
 * const report = await check({ kinds: [podSet], manifests });
 * if (report.failure) console.log(findingText(report));
 */
export const check = async (options: CheckOptions): Promise<CheckReport> => {
  const { seed = 1, schedules = 300, states = 300, isOver = () => false } = options;
  for (const [name, value] of Object.entries({ seed, schedules, states })) {
    if (!Number.isSafeInteger(value) || (name !== 'seed' && value < 0)) {
      throw new ConfigurationError(`Cannot check: ${name} is ${value}; it must be a whole number, 0 or more`);
    }
  }
  const { simulation: given, missed, notes } = simulationFor(options);
  const simulation = prepared(given);
  const none = { schedules: 0, states: 0, completeDepth: 0, isExhausted: false, untried: 0, notes };
  let expected: Undisturbed;
  try {
    expected = await runUndisturbed(simulation);
    // In the run without faults, every step waits until the cluster is at rest. If a step finds no pod even then, the script is
    // wrong.
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
  const { states: reached = 0, completeDepth = 0, isExhausted = false, untried = 0 } = searched ?? {};
  const found = { ...none, states: reached, completeDepth, isExhausted, untried };
  if (searched?.failure !== undefined) return { ...found, way: 'search', failure: searched.failure };
  if (schedules === 0) return found;
  const explored = await explore(simulation, {
    ...chaosOf(options),
    seeds: seeds(seed, schedules, isOver),
    expected,
    maxShrinkRuns: MAX_SHRINK_RUNS,
  });
  const [failure] = explored.failures;
  const { schedules: run, coverage } = explored;
  return { ...found, schedules: run, coverage, ...(failure && { way: 'schedule' as const, failure }) };
};
