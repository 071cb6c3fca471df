import { SimulationError } from '#lib/errors.ts';
import type { Failure } from '#lib/loop/context.ts';
import type { Actor } from '#lib/sim/actors/actor.ts';
import type { ApiServer } from '#lib/sim/machinery/server.ts';
import { actorSteps, actorsDueMs, assertActors } from './actor-steps.ts';
import { assertScenario } from './check-scenario.ts';
import { VirtualClock } from './clock.ts';
import { clusterView } from './cluster-view.ts';
import { installKinds } from './crd.ts';
import { type Called, detached } from './detached.ts';
import { distinct } from './distinct.ts';
import { Guard } from './guard.ts';
import { hostsOf } from './hosts.ts';
import { firstViolation } from './invariants.ts';
import type { OperatorHost } from './operator-host.ts';
import { Outside } from './outside.ts';
import type { Pending } from './pending.ts';
import { type Random, randomOf } from './random.ts';
import { Recorder } from './recorder.ts';
import type { ClusterView, Invariant, Scenario } from './scenario.ts';
import { faultStep, silently, type WorldStep } from './step.ts';
import { tappedServer } from './tapped-server.ts';
import { timePasses, timeStepOf } from './time-step.ts';
import { Trace } from './trace.ts';
import { type User, userOf } from './user.ts';
import { answerInWords, errorInWords } from './wording.ts';

/** What a run starts from. */
export interface WorldOptions {
  readonly scenario: Scenario;
  /** Decides every random number of the run, but not the schedule. */
  readonly seed: number;
  /** @param now - true time, in epoch milliseconds */
  readonly createServer: (now: () => number) => ApiServer;
  /** Keeps what fingerprints of the state need. @default false */
  readonly isRecorded?: boolean;
  /** @default what the seed gives */
  readonly random?: Random;
}

/** When every run begins, by the wall. */
export const START_MS = Date.UTC(2026, 0, 1);

const byWords = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

const bySince = (a: Pending, b: Pending): number => a.since - b.since;

/**
 * A whole cluster in memory: API server, actors, operators, and what travels between them. Nothing happens by itself:
 * whoever holds it chooses what happens next.
 *
 * **Flow**: `enabled()` says what can happen → `take()` lets one of it happen, runs the loop until it waits for
 * something, checks the invariants → and so on.
 *
 * **Guarantees**: a run is a function of scenario, seed and the steps taken. No wall clock, no real timer, no I/O.
 *
 * **Assumptions**: functions of the kinds are pure, and the scenario's are deterministic.
 *
 * **Caveats**: a function under test that never returns is ended on the main thread of a process only; whatever else is
 * about to run there at that moment ends with it.
 */
export class World {
  readonly trace = new Trace();
  readonly server: ApiServer;
  readonly outside: Outside;
  /** The cluster as invariants see it. */
  readonly view: ClusterView;
  readonly #scenario: Scenario;
  readonly #seed: number;
  readonly #guard = new Guard();
  readonly #clock = new VirtualClock(START_MS);
  readonly #hosts: readonly OperatorHost[];
  readonly #actors: readonly Actor[];
  readonly #invariants: readonly Invariant[];
  readonly #user: User;
  /** What actors and the script were answered in the step that is under way. */
  #answers: string[] = [];
  /** What was stored by then is the same in all runs. */
  readonly initialVersion: string;
  readonly #recorder: Recorder | undefined;
  #forgottenThrough = '0';
  #scriptPosition = 0;
  #sequence = 0;
  #violation: string | undefined;
  /** Of a function of a kind, or of the loop. */
  #failure: Failure | undefined;

  /** @throws {SimulationError} for a scenario that lacks something, and when a CRD is refused */
  constructor({ scenario, seed, createServer, isRecorded = false, random = randomOf(seed) }: WorldOptions) {
    assertScenario(scenario);
    const now = (): number => this.#clock.nowMs;
    this.#scenario = scenario;
    this.#seed = seed;
    this.server = createServer(now);
    const tapped = tappedServer(this.server, { onAnswer: (given) => this.#answers.push(answerInWords(given)) });
    this.#user = userOf(tapped);
    installKinds(this.server, scenario.kinds);
    this.view = clusterView(this, this.#clock);
    this.outside = new Outside({ script: scenario.http, view: this.view, guard: this.#guard });
    this.#hosts = hostsOf(scenario, {
      server: this.server,
      outside: this.outside,
      clock: this.#clock,
      since: () => this.#sequence++,
      random,
      note: (text) => this.trace.note(text),
      onFailure: (failure) => (this.#failure ??= failure),
      isRecorded,
      guard: this.#guard,
    });
    this.#actors = scenario.actors?.(tapped, now) ?? [];
    this.#invariants = scenario.invariants?.() ?? [];
    this.initialVersion = this.server.resourceVersion;
    this.#recorder = isRecorded ? new Recorder(this.server, scenario.kinds) : undefined;
  }

  /** Milliseconds since the start. */
  get elapsedMs(): number {
    return this.#clock.elapsedMs;
  }

  /** Broken invariants end a run: what was broken first, or `undefined`. */
  get violation(): string | undefined {
    return this.#violation;
  }

  /** How many steps of the script are left. */
  get scriptLeft(): number {
    return this.#scenario.script.length - this.#scriptPosition;
  }

  /** Milliseconds since the start at which something is due by itself; Infinity for never. */
  get nextDueMs(): number {
    const now = this.#clock.elapsedMs;
    let due = Infinity;
    for (const { nextDueMs } of this.#hosts) if (nextDueMs > now && nextDueMs < due) due = nextDueMs;
    return Math.min(due, actorsDueMs(this.#actors, this.#clock.nowMs) - START_MS);
  }

  /** True while time alone will bring something other than the renewal of watches that work. */
  get isWaiting(): boolean {
    return this.#hosts.some(({ isWaiting }) => isWaiting) || actorsDueMs(this.#actors, this.#clock.nowMs) < Infinity;
  }

  /** What happens next when nothing goes wrong, other than time: what is due, then what was put on its way first. */
  calmStep(): WorldStep | undefined {
    for (const host of this.#hosts) {
      const step = host.progress();
      if (step !== undefined) return step;
    }
    let first: Pending | undefined;
    for (const host of this.#hosts) {
      for (const pending of host.pending) {
        if ((first === undefined || pending.since < first.since) && pending.progress()) first = pending;
      }
    }
    return first?.progress() ?? actorSteps(this.#actors, this.#clock.nowMs, 'progress')[0];
  }

  /** Everything that can happen by itself, in the order of a calm world; time is not among it. */
  progress(): readonly WorldStep[] {
    const steps: WorldStep[] = [];
    const add = (step: WorldStep | undefined): void => {
      if (step !== undefined) steps.push(step);
    };
    for (const pending of this.#pending()) add(pending.progress());
    for (const host of this.#hosts) add(host.progress());
    return distinct([...steps, ...actorSteps(this.#actors, this.#clock.nowMs, 'progress')]);
  }

  /** The next step of the script; `undefined` at its end. */
  scriptStep(): WorldStep | undefined {
    const next = this.#scenario.script[this.#scriptPosition];
    if (next === undefined) return undefined;
    const run = (): undefined => {
      this.#scriptPosition += 1;
      this.#guard.call(`the script's "${next.label}"`, () => next.run(this.#user) as unknown);
    };
    return { label: next.label, nature: 'script', run };
  }

  /** Lets time pass until something is due; `undefined` when nothing ever is. */
  timeStep(): WorldStep | undefined {
    return timePasses(this.#clock, this.nextDueMs);
  }

  /** What may happen or not: bookmarks, misfortunes. */
  others(): readonly WorldStep[] {
    const { server } = this;
    const forget = silently(() => {
      this.#forgottenThrough = server.resourceVersion;
      server.compact(server.resourceVersion);
    });
    return distinct([
      ...this.#pending().flatMap((pending) => pending.others()),
      ...this.#hosts.flatMap((host) => host.faults()),
      ...actorSteps(this.#actors, this.#clock.nowMs, 'fault'),
      faultStep('history forgotten', 'history forgotten', forget),
    ]);
  }

  /** What can happen next: progress first, in the order of a calm world. */
  enabled(): readonly WorldStep[] {
    const [script, time] = [this.scriptStep(), this.timeStep()];
    return [...this.progress(), ...(script ? [script] : []), ...(time ? [time] : []), ...this.others()];
  }

  /** The enabled step of this label. */
  find(label: string): WorldStep | undefined {
    const time = timeStepOf(label, this.#clock, this.nextDueMs);
    if (time !== undefined) return time;
    const script = this.scriptStep();
    if (script?.label === label) return script;
    const isIt = (step: WorldStep): boolean => step.label === label;
    return this.progress().find(isIt) ?? this.others().find(isIt);
  }

  /**
   * Lets one thing happen.
   *
   * @param wanted - a step that is enabled, or its label
   * @throws {SimulationError} for a step that is not enabled; for a script, an actor, an invariant or a kind's function that
   *   throws, never returns, or gives what it must not; the message names the seed and the step
   */
  async take(wanted: WorldStep | string): Promise<void> {
    const step = typeof wanted === 'string' ? this.find(wanted) : wanted;
    if (step === undefined) throw this.error(`Cannot take "${wanted as string}": nothing of that name can happen now`);
    this.#answers = [];
    let outcome = '';
    const called = await detached(() => {
      outcome = step.run() ?? this.#answers.join(', ');
    });
    this.trace.add({ atMs: this.#clock.elapsedMs, nature: step.nature, label: step.label, outcome });
    this.#assertWell(called, step.label, `"${step.label}" failed: `);
    if (this.#recorder) for (const host of this.#hosts) host.settle();
    if (this.#invariants.length + this.#actors.length > 0) await this.#lookAround(step.label);
  }

  /** Its state as JSON, for fingerprints, with versions and times as they are; only when recorded. */
  describe(): unknown {
    const { resourceVersion } = this.server;
    return [
      { initial: { resourceVersion: this.initialVersion }, last: { resourceVersion } },
      { forgotten: { resourceVersion: this.#forgottenThrough } },
      this.#recorder?.describe(this.#hosts.flatMap((host) => host.positions)) ?? null,
      this.server.dump(),
      this.#hosts.map((host) => host.describe()),
      this.outside.exchanges,
      // The order in which things were sent tells nothing: any may happen next.
      this.#pending()
        .map((pending) => [pending.words, pending.describe()] as const)
        .toSorted(byWords),
      this.#actors.map((actor) => this.#memoryOf('actor', actor)),
      this.#invariants.map((invariant) => this.#memoryOf('invariant', invariant)),
      this.#scriptPosition,
      this.#clock.nowMs % 1000,
    ];
  }

  #memoryOf(what: string, it: Pick<Actor, 'name' | 'memory'>): unknown {
    try {
      return it.memory?.() ?? null;
    } catch (cause) {
      throw this.error(`memory() of ${what} "${it.name}" threw: ${errorInWords(cause)}`, { cause });
    }
  }

  #pending(): Pending[] {
    return this.#hosts.flatMap((host) => host.pending).toSorted(bySince);
  }

  /** Does everything hold, and can every actor say what it could do next? */
  async #lookAround(label: string): Promise<void> {
    const called = await detached(() => {
      this.#violation ??= firstViolation(this.#invariants, { view: this.view, guard: this.#guard });
      assertActors(this.#actors, this.#guard);
    });
    this.#assertWell(called, label, '');
  }

  #assertWell(called: Called, label: string, prefix: string): void {
    if (called.hangs) throw this.error(this.#guard.hangInWords(label));
    if (this.#failure !== undefined) {
      const { what, key, error } = this.#failure;
      throw this.error(`${what} failed for ${key}: ${errorInWords(error)}`, { cause: error });
    }
    if ('error' in called) throw this.error(`${prefix}${errorInWords(called.error)}`, { cause: called.error });
  }

  /** An error that says where in the run it happened. */
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
