import { SimulationError } from '#lib/errors.ts';
import { START_MS } from '#lib/sim/world/step/clock.ts';
import { constantRandom } from '#lib/sim/world/step/random.ts';
import type { TraceEntry } from '#lib/sim/world/step/trace.ts';
import { World } from '#lib/sim/world/world.ts';
import { type Budget, type Move, moves, spend } from './budget.ts';
import { assertClasses, assertNumbers } from './check-options.ts';
import type { Failure } from './failure.ts';
import { fingerprintOf } from './fingerprint.ts';
import { type SleepSet, sleepAfter } from './independence.ts';
import { judge, type Problem, prepared, problemOf, runUndisturbed, type Simulation, type Undisturbed } from './run.ts';
import type { Schedule } from './schedule.ts';
import { keepNewObjectsYoung } from './young-objects.ts';

/** Options for {@link search}. */
export interface SearchOptions {
  /** Maximum number of states. @default 100,000 */
  readonly maxStates?: number;
  /** Maximum number of steps from the start to a state. @default 200 */
  readonly maxDepth?: number;
  /**
   * How often each class of faults, an advance of time, and a harmless step (a bookmark) may occur on one path.
   *
   * @default 2 for advances of time, 0 for all others
   */
  readonly budget?: Budget;
  /**
   * Whether to try all orders of independent steps, although they lead to the same states. Used to check the search itself.
   *
   * @default false
   */
  readonly triesEveryOrder?: boolean;
  /** The result of the run without faults. @default computed before the search */
  readonly expected?: Undisturbed;
}

/** The result of a search. */
export interface SearchReport {
  /** Number of different states that the search reached. */
  readonly states: number;
  /** Number of steps from one state to another that the search tried. */
  readonly transitions: number;
  /**
   * Number of states without a pending message or action, except advances of time and optional steps. From each of them, the
   * search ran the world to its end and checked the final state.
   */
  readonly ends: number;
  /** Number of steps from the start to the farthest state. */
  readonly depth: number;
  /** The search reached every state that lies within the budget and at most this number of steps from the start. */
  readonly completeDepth: number;
  /** Whether the search reached every state within the budget. */
  readonly isExhausted: boolean;
  /** Number of states after which the search tried no step, because it had reached its maximum number of states or of steps. */
  readonly untried: number;
  /**
   * Number of simulated steps. This number exceeds the number of transitions, because the search repeats the steps from the start
   * for each transition.
   */
  readonly steps: number;
  /** The first failure that the search found; absent if it found none. */
  readonly failure?: Failure;
}

interface Node {
  readonly parent: Node | undefined;
  readonly label: string;
  readonly depth: number;
  readonly budget: Budget;
  /** The moves that the search leaves out after this state, because another order of the same moves was tried. */
  readonly asleep: SleepSet;
  /** The labels of the only moves to try, if the search has tried all others; `undefined` for a new state. */
  readonly only: ReadonlySet<string> | undefined;
  /** Whether nothing is pending in this state, except advances of time and optional steps. */
  readonly isEnd: boolean;
}

/** A step to a state, before the search knows whether the state is new. */
type Arrival = Omit<Node, 'isEnd'>;

const scheduleOf = (node: Arrival): Schedule => {
  const labels: string[] = [];
  for (let at: Arrival | undefined = node; at?.parent !== undefined; at = at.parent) labels.push(at.label);
  return labels.toReversed();
};

class BreadthFirst {
  readonly #simulation: Simulation;
  readonly #expected: Undisturbed;
  readonly #maxStates: number;
  readonly #maxDepth: number;
  readonly #versions: 'rank' | 'distance';
  /** The sleep set of each state, by fingerprint. */
  readonly #seen = new Map<string, SleepSet>();
  readonly #triesEveryOrder: boolean;
  readonly #frontier: Node[] = [];
  #transitions = 0;
  #ends = 0;
  #untried = 0;
  #depth = 0;
  #steps = 0;
  #isCut = false;
  #completeDepth = Infinity;
  #failure: Failure | undefined;

  constructor(
    simulation: Simulation,
    expected: Undisturbed,
    { maxStates = 100_000, maxDepth = 200, budget, triesEveryOrder = false }: SearchOptions,
  ) {
    const server = simulation.createServer(() => START_MS).copy(() => START_MS, { recallsWrites: true });
    this.#simulation = { ...simulation, createServer: (now) => server.copy(now) };
    this.#expected = expected;
    this.#maxStates = maxStates;
    this.#maxDepth = maxDepth;
    this.#triesEveryOrder = triesEveryOrder;
    const whole: Budget = { time: 2, ...budget };
    this.#versions = (whole['stale list'] ?? 0) > 0 ? 'distance' : 'rank';
    const world = this.#createWorld();
    this.#remember(
      { parent: undefined, label: '', depth: 0, budget: whole, asleep: new Map(), only: undefined },
      world,
    );
  }

  async run(): Promise<SearchReport> {
    for (let next = 0; next < this.#frontier.length && this.#failure === undefined; next += 1) {
      this.#simulation.calm?.signal?.throwIfAborted();
      const node = this.#frontier[next] as Node;
      if (this.#isFull || node.depth >= this.#maxDepth) this.#leave(node);
      else await this.#expand(node);
      if (node.isEnd && this.#failure === undefined) await this.#judgeEnd(node);
    }
    return {
      states: this.#seen.size,
      transitions: this.#transitions,
      ends: this.#ends,
      depth: this.#depth,
      completeDepth: Math.min(this.#completeDepth, this.#depth),
      isExhausted: !this.#isCut && this.#failure === undefined,
      untried: this.#untried,
      steps: this.#steps,
      ...(this.#failure && { failure: this.#failure }),
    };
  }

  /** Whether the search has its maximum number of states, and computes no more fingerprints. */
  get #isFull(): boolean {
    return this.#isCut && this.#seen.size >= this.#maxStates;
  }

  #createWorld(): World {
    const { scenario, createServer } = this.#simulation;
    const isRecorded = !this.#isFull;
    return new World({ scenario, seed: 0, createServer, isRecorded, random: constantRandom(0.5) });
  }

  /**
   * Returns a new world in the state of a node. The search keeps no worlds, because a repetition of the steps is cheaper: if some
   * worlds outlive minor garbage collections, V8 allocates all later worlds in the old generation.
   */
  async #worldOf(node: Node): Promise<World> {
    const world = this.#createWorld();
    for (const label of scheduleOf(node)) await this.#take(world, label);
    return world;
  }

  async #take(world: World, label: string): Promise<void> {
    this.#steps += 1;
    await world.take(label);
  }

  async #expand(node: Node): Promise<void> {
    let world: World | undefined = await this.#worldOf(node);
    const tried: Move[] = [...node.asleep.values()];
    for (const move of moves(world, node.budget)) {
      const { label, key } = move;
      if (node.only === undefined ? node.asleep.has(label) : !node.only.has(label)) continue;
      world ??= await this.#worldOf(node);
      const budget = key === undefined ? node.budget : spend(node.budget, key);
      const asleep = sleepAfter(move, this.#triesEveryOrder ? [] : tried);
      await this.#follow({ parent: node, label, depth: node.depth + 1, budget, asleep, only: undefined }, world);
      if (this.#failure !== undefined) return;
      world = undefined;
      tried.push(move);
    }
  }

  /** Tries no step after a state. */
  #leave({ depth, only }: Node): void {
    this.#cut(depth + 1);
    if (only === undefined) this.#untried += 1;
  }

  async #follow(node: Arrival, world: World): Promise<void> {
    this.#transitions += 1;
    this.#depth = Math.max(this.#depth, node.depth);
    const problem = await this.#problemIn(async () => {
      await this.#take(world, node.label);
      return world.violation === undefined ? undefined : judge(this.#simulation, world, this.#expected);
    });
    if (problem === undefined) this.#remember(node, world);
    else this.#fail(node, problem, world.trace.entries);
  }

  #remember(node: Arrival, world: World): void {
    if (this.#isFull) return;
    const state = [world.describe(), node.budget];
    const { nowMs } = world.view;
    const { initialVersion } = world.cluster;
    const fingerprint = fingerprintOf(state, { nowMs, initialVersion, versions: this.#versions });
    const before = this.#seen.get(fingerprint);
    if (before !== undefined) this.#visitAgain(node, fingerprint, before);
    else if (this.#seen.size >= this.#maxStates) this.#cut(node.depth);
    else {
      this.#seen.set(fingerprint, node.asleep);
      const isEnd = world.cluster.progress().length === 0 && world.scriptLeft === 0;
      this.#frontier.push({ ...node, isEnd });
    }
  }

  /** Notes that the search leaves out a state at a depth. */
  #cut(depth: number): void {
    this.#isCut = true;
    this.#completeDepth = Math.min(this.#completeDepth, depth - 1);
  }

  /** Tries the moves that the search left out after a known state, except those that this visit leaves out, too. */
  #visitAgain(node: Arrival, fingerprint: string, before: SleepSet): void {
    const awake = [...before.keys()].filter((label) => !node.asleep.has(label));
    if (awake.length === 0) return;
    const asleep = new Map([...before].filter(([label]) => node.asleep.has(label)));
    this.#seen.set(fingerprint, asleep);
    this.#frontier.push({ ...node, asleep, only: new Set(awake), isEnd: false });
  }

  async #judgeEnd(node: Node): Promise<void> {
    this.#ends += 1;
    const world = await this.#worldOf(node);
    const before = world.trace.entries.length;
    const problem = await this.#problemIn(async () => judge(this.#simulation, world, this.#expected));
    this.#steps += world.trace.entries.length - before;
    if (problem !== undefined) this.#fail(node, problem, world.trace.entries);
  }

  async #problemIn(attempt: () => Promise<Problem | undefined>): Promise<Problem | undefined> {
    try {
      return await attempt();
    } catch (error) {
      return problemOf(error);
    }
  }

  #fail(node: Arrival, problem: Problem, trace: readonly TraceEntry[]): void {
    this.#completeDepth = Math.min(this.#completeDepth, node.depth - 1);
    const schedule = scheduleOf(node);
    const { name: scenario } = this.#simulation.scenario;
    this.#failure = { scenario, seed: 0, problem, schedule, trace, found: schedule, runs: 0 };
  }
}

const assertOptions = ({ budget = {}, maxStates, maxDepth }: SearchOptions): void => {
  assertNumbers({ maxStates }, { of: 'search', min: 1 });
  assertNumbers({ maxDepth, ...budget }, { of: 'search' });
  assertClasses(budget, { of: 'search', more: ['time', 'harmless'] });
  if ((budget['clock jump'] ?? 0) > 0) {
    throw new SimulationError(
      'Cannot search with clocks that are set: states would not be distinguishable; explore instead',
    );
  }
};

/**
 * Visits the states that a scenario can reach within a budget of faults, and checks each final state. The search ends at the
 * first failure, or at a limit of the options. States that need fewer steps are visited first.
 *
 * **Flow**: each state is the result of a sequence of steps from the start → the search continues from the state with each
 * possible step → the search visits only one of several states with the same fingerprint.
 *
 * **Guarantees**: if the search is exhausted, no sequence of steps within the budget violates an invariant. Every final state
 * then has the outcome of the run without faults.
 *
 * **Assumptions**: every random number is 0.5; functions of kinds have no memory, and invariants only their `memory()`.
 *
 * **Caveats**: scenarios that set clocks cannot be searched, because a fingerprint does not contain the times that the loop has
 * read. The function changes a setting of V8 for the rest of the process: {@link keepNewObjectsYoung}.
 *
 * @throws {SimulationError} for a budget with clock jumps or an unknown class, for invalid limits, and when the scenario is
 *   invalid or fails without faults
 * @throws {InvalidDefinitionError} when a definition cannot be compiled
 * @example
 * const { states, isExhausted } = await search({ scenario, createServer }, { budget: { crash: 1, 'answer lost': 1 } });
 */
export const search = async (given: Simulation, options: SearchOptions = {}): Promise<SearchReport> => {
  assertOptions(options);
  keepNewObjectsYoung();
  const simulation = prepared(given);
  const expected = options.expected ?? (await runUndisturbed(simulation));
  return new BreadthFirst(simulation, expected, options).run();
};
