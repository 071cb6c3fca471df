import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import type { Actor } from '#lib/controllers/actor.ts';
import { SimulationError } from '#lib/errors.ts';
import { ServerRecorder } from './api/recorder.ts';
import { TappedServer } from './api/tapped-server.ts';
import { detached } from './guard/detached.ts';
import { Guard } from './guard/guard.ts';
import { hostsOf } from './host/hosts.ts';
import { Outside } from './link/outside.ts';
import { assertScenario } from './scenario/check-scenario.ts';
import { LiveClusterView } from './scenario/cluster-view.ts';
import { installKinds } from './scenario/crd.ts';
import { Referee } from './scenario/referee.ts';
import type { ClusterView, Invariant, Scenario } from './scenario/scenario.ts';
import { type User, userOf } from './scenario/user.ts';
import { START_MS, VirtualClock } from './step/clock.ts';
import { type Random, randomOf } from './step/random.ts';
import type { WorldStep } from './step/step.ts';
import { timeStepOf } from './step/time-step.ts';
import { Trace } from './step/trace.ts';
import { answerInWords, errorInWords } from './step/wording.ts';
import { VirtualCluster } from './virtual-cluster.ts';

/** Options for {@link World}. */
export interface WorldOptions {
  readonly scenario: Scenario;
  /** Seed of every random number in the run. The seed does not choose the steps. */
  readonly seed: number;
  /** Creates the API server. `now` returns the true time, in epoch milliseconds. */
  readonly createServer: (now: () => number) => ApiServer;
  /** Whether to record the data that fingerprints of the state need. @default false */
  readonly isRecorded?: boolean;
  /** The source of random numbers. @default a source with the seed */
  readonly random?: Random;
}

/**
 * The guard of all worlds, because a thread makes one call at a time. Each world therefore has the same guarded definitions, and
 * the loop prepares these definitions once.
 */
const guard = new Guard();

/**
 * A scenario in a cluster in memory, with its script, its invariants and its history. The caller chooses each step; nothing
 * happens between the steps.
 *
 * **Flow**: `enabled()` lists the possible steps → the caller calls `take()` with one of them → `take()` executes the step,
 * runs the loop until the loop waits, and checks the invariants → the caller calls `enabled()` again.
 *
 * **Guarantees**: a run depends only on the scenario, the seed and the chosen steps. A run uses no I/O, and real time only to
 * limit functions that do not return.
 *
 * **Assumptions**: the functions of the kinds are pure, and the functions of the scenario are deterministic.
 *
 * **Caveats**: a function under test that never returns can be terminated only on the main thread of a process. The termination
 * also ends all other code that is about to run on this thread.
 */
export class World {
  readonly trace = new Trace();
  readonly server: ApiServer;
  readonly outside: Outside;
  /** The API server, the actors, the operators, and the messages between them. */
  readonly cluster: VirtualCluster;
  /** The view of the cluster for invariants, outcomes and the HTTP servers of the scenario. */
  readonly view: ClusterView;
  readonly #scenario: Scenario;
  readonly #seed: number;
  readonly #clock = new VirtualClock(START_MS);
  readonly #invariants: readonly Invariant[];
  readonly #referee: Referee;
  readonly #user: User;
  /** The responses to the requests of actors and of the script during the current step, in words. */
  #answers: string[] = [];
  #scriptPosition = 0;

  /**
   * @throws {SimulationError} for an invalid scenario, and when the API server refuses a CustomResourceDefinition
   * @throws {InvalidDefinitionError} when a definition cannot be compiled
   */
  constructor({ scenario, seed, createServer, isRecorded = false, random = randomOf(seed) }: WorldOptions) {
    assertScenario(scenario);
    this.#scenario = scenario;
    this.#seed = seed;
    this.server = createServer(() => this.#clock.nowMs);
    const tapped = new TappedServer(this.server, { onAnswer: (given) => this.#answers.push(answerInWords(given)) });
    this.#user = userOf(tapped);
    installKinds(this.server, scenario.kinds);
    this.view = new LiveClusterView(this, this.#clock);
    this.outside = new Outside({ script: scenario.http, view: this.view, guard });
    this.cluster = this.#populated(tapped, { isRecorded, random });
    this.#invariants = scenario.invariants?.() ?? [];
    this.#referee = new Referee({
      view: this.view,
      guard,
      invariants: this.#invariants,
      actors: this.cluster.actors,
      errorAt: (what, options) => this.error(what, options),
    });
  }

  #populated(
    tapped: ApiServer,
    { isRecorded, random }: Required<Pick<WorldOptions, 'isRecorded' | 'random'>>,
  ): VirtualCluster {
    const { server, outside } = this;
    const scenario = this.#scenario;
    const clock = this.#clock;
    const hosts = hostsOf(scenario, {
      server,
      outside,
      clock,
      random,
      note: (text) => this.trace.note(text),
      onFailure: (failure) => this.#referee.hear(failure),
      isRecorded,
      guard,
    });
    const actors = scenario.actors?.(tapped, () => clock.nowMs) ?? [];
    const recorder = isRecorded ? new ServerRecorder(server, scenario.kinds) : undefined;
    return new VirtualCluster({ server, clock, hosts, actors, recorder });
  }

  /** Milliseconds since the start. */
  get elapsedMs(): number {
    return this.#clock.elapsedMs;
  }

  /** The first violation of an invariant; `undefined` if there is none. A violation ends the run. */
  get violation(): string | undefined {
    return this.#referee.violation;
  }

  get scriptLeft(): number {
    return this.#scenario.script.length - this.#scriptPosition;
  }

  /** The next step of the script; `undefined` at its end. */
  scriptStep(): WorldStep | undefined {
    const next = this.#scenario.script[this.#scriptPosition];
    if (next === undefined) return undefined;
    const run = (): undefined => {
      this.#scriptPosition += 1;
      guard.call(`the script's "${next.label}"`, () => next.run(this.#user) as unknown);
    };
    return { label: next.label, nature: 'script', touches: { server: 'writes' }, run };
  }

  /** All possible steps in this order: steps without faults, the next step of the script, an advance of time, optional steps. */
  enabled(): readonly WorldStep[] {
    const { cluster } = this;
    const [script, time] = [this.scriptStep(), cluster.timeStep()];
    return [...cluster.progress(), ...(script ? [script] : []), ...(time ? [time] : []), ...cluster.others()];
  }

  find(label: string): WorldStep | undefined {
    const time = timeStepOf(label, this.#clock, this.cluster.nextDueMs);
    if (time !== undefined) return time;
    const script = this.scriptStep();
    if (script?.label === label) return script;
    return this.cluster.find(label);
  }

  /**
   * Takes one step.
   *
   * @param wanted - a possible step, or its label
   * @throws {SimulationError} for a step that is not possible, and when a script, actor, invariant or function of a kind fails.
   *   A function fails if it throws, never returns, or returns an invalid value. The message names the seed and the step
   */
  async take(wanted: WorldStep | string): Promise<void> {
    const step = typeof wanted === 'string' ? this.find(wanted) : wanted;
    if (step === undefined) throw this.error(`Cannot take "${wanted as string}": no step of that name is possible now`);
    this.#answers = [];
    let outcome = '';
    const called = await detached(() => {
      outcome = step.run() ?? this.#answers.join(', ');
    });
    const { nature, label, fault, write } = step;
    const about = { ...(fault !== undefined && { fault }), ...(write !== undefined && { write }) };
    this.trace.add({ atMs: this.#clock.elapsedMs, nature, label, outcome, ...about });
    this.#referee.assertWell(called, step.label, { prefix: `"${step.label}" failed: ` });
    await this.#referee.lookAround(step.label);
  }

  /**
   * The state of the world as JSON, for fingerprints, with real resource versions and times. The JSON is complete only if
   * `isRecorded` is set.
   */
  describe(): unknown {
    return [
      this.cluster.describe(),
      this.outside.exchanges,
      this.cluster.actors.map((actor) => this.#memoryOf('actor', actor)),
      this.#invariants.map((invariant) => this.#memoryOf('invariant', invariant)),
      this.#scriptPosition,
    ];
  }

  #memoryOf(what: string, it: Pick<Actor, 'name' | 'memory'>): unknown {
    try {
      return it.memory?.() ?? null;
    } catch (cause) {
      throw this.error(`memory() of ${what} "${it.name}" threw: ${errorInWords(cause)}`, { cause });
    }
  }

  /** Makes an error whose message contains the scenario, the seed and the number of the step. */
  error(
    what: string,
    { cause, details = '' }: { readonly cause?: unknown; readonly details?: string } = {},
  ): SimulationError {
    const { name } = this.#scenario;
    const where = `scenario "${name}", seed ${this.#seed}, step ${this.trace.entries.length}`;
    const text = details === '' ? `${what} (${where})` : `${what} (${where}); ${details}`;
    return new SimulationError(text, { cause });
  }
}
