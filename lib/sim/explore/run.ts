import { resourceNameOf } from '#lib/apiserver/machinery/resources.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { isReconcileError, SimulationError } from '#lib/errors.ts';
import { canonicalJson, isJson } from '#lib/json.ts';
import { refOf } from '#lib/kind/names.ts';
import { type CalmOptions, type Rest, runCalmly } from '#lib/sim/world/calm.ts';
import { atOnce, detached } from '#lib/sim/world/guard/detached.ts';
import { LIMIT_MS } from '#lib/sim/world/guard/watchdog.ts';
import { assertScenario } from '#lib/sim/world/scenario/check-scenario.ts';
import { installKinds } from '#lib/sim/world/scenario/crd.ts';
import type { Scenario } from '#lib/sim/world/scenario/scenario.ts';
import { START_MS } from '#lib/sim/world/step/clock.ts';
import type { TraceEntry } from '#lib/sim/world/step/trace.ts';
import { errorInWords } from '#lib/sim/world/step/wording.ts';
import { World } from '#lib/sim/world/world.ts';
import type { Schedule } from './schedule.ts';

/** A scenario, the function that creates its API server, and the limits of parts of its runs without faults. */
export interface Simulation {
  readonly scenario: Scenario;
  /** Creates an API server. `now` returns the true time, in epoch milliseconds. */
  readonly createServer: (now: () => number) => ApiServer;
  readonly calm?: CalmOptions;
}

/** The result of a run without faults. */
export interface Undisturbed {
  /** The outcome of the scenario, as canonical JSON. */
  readonly outcome: string;
  readonly requestsAtRest: number;
  readonly steps: number;
}

/** The reason why a run failed. */
export interface Problem {
  /**
   * The type of the failure: `invariant <name>`, `outcome`, `requests at rest`, or `error <start of the message>`. A shorter
   * schedule must fail with the same type.
   */
  readonly sort: string;
  readonly message: string;
  /** The error that a function threw, if this error is the problem. The member is not enumerable. */
  readonly cause?: unknown;
}

/** A run and its result. */
export interface Run {
  /** The steps of the first part of the run, in which faults can happen. The part after it, without faults, is not included. */
  readonly schedule: Schedule;
  readonly trace: readonly TraceEntry[];
  readonly problem?: Problem;
}

/**
 * Checks the scenario, and creates a server with its CustomResourceDefinitions once instead of in every run. Every server of the
 * returned simulation is a copy of this server.
 *
 * @throws {SimulationError} for an invalid scenario, and when the API server refuses a CustomResourceDefinition
 * @throws {InvalidDefinitionError} when a definition cannot be compiled
 */
export const prepared = (simulation: Simulation): Simulation => {
  assertScenario(simulation.scenario);
  const server = simulation.createServer(() => START_MS);
  installKinds(server, simulation.scenario.kinds);
  return { ...simulation, createServer: (now) => server.copy(now) };
};

const outcomeOf = async ({ scenario }: Simulation, world: World): Promise<string> => {
  let text = '';
  const called = await detached(() => {
    const outcome = atOnce(scenario.outcome(world.view));
    if (!isJson(outcome))
      throw new TypeError('it is no JSON; objects, lists, texts, finite numbers, true, false and null are');
    text = canonicalJson(outcome);
  });
  if (called.hangs) throw world.error(`the outcome cannot be computed: it did not return within ${LIMIT_MS} ms`);
  if (!('error' in called)) return text;
  throw world.error(`the outcome cannot be computed: ${errorInWords(called.error)}`, { cause: called.error });
};

/** The first difference between two lists, in words; `undefined` for equal lists. */
const firstDifference = (a: readonly unknown[], b: readonly unknown[]): string | undefined => {
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const [one, other] = [canonicalJson(a[index]), canonicalJson(b[index])];
    if (one === other) continue;
    let at = 0;
    while (one[at] === other[at]) at += 1;
    const part = (text: string): string => text.slice(Math.max(0, at - SHOWN), at + SHOWN);
    return `\n  once  …${part(one)}…\n  again …${part(other)}…`;
  }
  return undefined;
};

const SHOWN = 80;

const leftBy = async (simulation: Simulation, calm: CalmOptions): Promise<{ world: World; rest: Rest }> => {
  const { scenario, createServer } = simulation;
  const world = new World({ scenario, seed: 0, createServer });
  const rest = await runCalmly(world, calm);
  if (world.violation !== undefined) throw world.error(`even undisturbed, ${world.violation}`);
  return { world, rest };
};

const storedIn = (world: World, { scenario }: Simulation): readonly unknown[] =>
  scenario.kinds.flatMap((kind) =>
    [refOf(kind), ...kind.owns].flatMap((owned) => world.view.objects(resourceNameOf(owned))),
  );

/**
 * Runs a scenario twice without faults. If the two runs differ, the scenario is not deterministic, and other runs cannot be
 * compared with these runs.
 *
 * @throws {SimulationError} when the runs differ, an invariant is violated, a run does not end, a function fails, or the outcome
 *   cannot be computed
 */
export const runUndisturbed = async (simulation: Simulation): Promise<Undisturbed> => {
  const { calm = {} } = simulation;
  const { world, rest } = await leftBy(simulation, calm);
  const { world: again } = await leftBy(simulation, calm);
  const difference =
    firstDifference(storedIn(world, simulation), storedIn(again, simulation)) ??
    firstDifference(world.trace.entries, again.trace.entries);
  if (difference !== undefined) {
    const details = `kinds, scripts, actors and invariants must not read a clock, random numbers, or state of an earlier run:${difference}`;
    throw again.error('Two undisturbed runs differ', { details });
  }
  const { requestsAtRest, steps } = rest;
  return { outcome: await outcomeOf(simulation, world), requestsAtRest, steps };
};

/**
 * Default maximum of the steps after the disturbance of a run, as a multiple of the steps of the run without faults. A run with
 * more steps counts as one that never comes to rest.
 */
const CALM_FACTOR = 10;
const MIN_CALM_STEPS = 500;

/**
 * Runs a world without further faults until it is at rest. Returns its problem: a violated invariant, another outcome than
 * expected, or more requests at rest. Returns `undefined` without a problem.
 *
 * @throws {SimulationError} when the world does not come to rest, a function fails, or the outcome cannot be computed
 */
export const judge = async (
  simulation: Simulation,
  world: World,
  expected: Undisturbed,
): Promise<Problem | undefined> => {
  const maxSteps = Math.max(MIN_CALM_STEPS, expected.steps * CALM_FACTOR);
  const { requestsAtRest } = await runCalmly(world, { maxSteps, ...simulation.calm });
  const { violation } = world;
  if (violation !== undefined) {
    return { sort: `invariant ${violation.slice(0, violation.indexOf(':'))}`, message: violation };
  }
  const outcome = await outcomeOf(simulation, world);
  if (outcome !== expected.outcome) {
    const message = `the outcome is another than undisturbed\n  expected ${expected.outcome}\n  received ${outcome}`;
    return { sort: 'outcome', message };
  }
  if (requestsAtRest <= expected.requestsAtRest) return undefined;
  const message = `${requestsAtRest} requests are sent at rest, undisturbed ${expected.requestsAtRest}`;
  return { sort: 'requests at rest', message };
};

/**
 * Converts a thrown value to a problem of the run.
 *
 * @throws the value itself, if it is not a `SimulationError`
 */
export const problemOf = (error: unknown): Problem => {
  if (!(isReconcileError(error) && error instanceof SimulationError)) throw error;
  const { message, cause } = error;
  const problem = { sort: `error ${/^.*?(?=: | \(scenario |\n|$)/.exec(message)?.[0] ?? ''}`, message };
  return Object.defineProperty(problem, 'cause', { value: cause });
};

/** Takes steps in a world, among them faults. */
export type Disturbance = (world: World) => Promise<void>;

/** Options for {@link runDisturbed}. */
export interface DisturbedRunOptions {
  readonly seed: number;
  readonly expected: Undisturbed;
}

/**
 * Runs a scenario with a disturbance, and then without faults until it is at rest. Checks the final state. A thrown
 * `SimulationError` is a problem, too.
 */
export const runDisturbed = async (
  simulation: Simulation,
  disturb: Disturbance,
  { seed, expected }: DisturbedRunOptions,
): Promise<Run> => {
  const { scenario, createServer } = simulation;
  const world = new World({ scenario, seed, createServer });
  let disturbed: number | undefined;
  const attempt = async (): Promise<Problem | undefined> => {
    await disturb(world);
    disturbed = world.trace.entries.length;
    return judge(simulation, world, expected);
  };
  const problem = await attempt().catch(problemOf);
  const trace = world.trace.entries;
  const schedule = trace.slice(0, disturbed ?? trace.length).map(({ label }) => label);
  return { schedule, trace, ...(problem && { problem }) };
};
