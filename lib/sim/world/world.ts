import { setImmediate } from 'node:timers/promises';
import { SimulationError } from '#lib/errors.ts';
import { compileCrd } from '#lib/kind/crd.ts';
import { namesOf } from '#lib/kind/names.ts';
import { startManager } from '#lib/loop/manager.ts';
import type { Actor } from '#lib/sim/actors/actor.ts';
import type { ApiServer } from '#lib/sim/machinery/server.ts';
import { VirtualClock } from './clock.ts';
import { guarded } from './guard.ts';
import { OperatorHost } from './operator-host.ts';
import { type Random, randomOf } from './random.ts';
import type { ClusterView, Invariant, Scenario } from './scenario.ts';
import type { WorldStep } from './step.ts';
import { Trace } from './trace.ts';
import { type User, userOf } from './user.ts';

/** What a run starts from. */
export interface WorldOptions {
  readonly scenario: Scenario;
  /** Decides every random number of the run, but not the schedule. */
  readonly seed: number;
  /** @param now - true time, in epoch milliseconds */
  readonly createServer: (now: () => number) => ApiServer;
}

/** When every run begins, by the wall. */
const START_MS = Date.UTC(2026, 0, 1);

const CRDS = { apiVersion: 'apiextensions.k8s.io/v1', plural: 'customresourcedefinitions' };

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
 * **Caveats**: one world at a time is stepped in a process, for a function under test is stopped by a global means.
 */
export class World {
  readonly trace = new Trace();
  readonly server: ApiServer;
  readonly #scenario: Scenario;
  readonly #seed: number;
  readonly #clock = new VirtualClock(START_MS);
  readonly #hosts: readonly OperatorHost[];
  readonly #actors: readonly Actor[];
  readonly #invariants: readonly Invariant[];
  readonly #user: User;
  #scriptPosition = 0;
  #sequence = 0;
  #violation: string | undefined;
  #hang: string | undefined;

  /** @throws {SimulationError} when a CRD is refused */
  constructor({ scenario, seed, createServer }: WorldOptions) {
    const now = (): number => this.#clock.nowMs;
    this.#scenario = scenario;
    this.#seed = seed;
    this.server = createServer(now);
    this.#user = userOf(this.server);
    for (const kind of scenario.kinds) {
      this.#user.create(CRDS, { ...compileCrd(kind), metadata: { name: namesOf(kind).crdName } });
    }
    this.#hosts = this.#createHosts(randomOf(seed));
    this.#actors = scenario.actors?.(this.server, now) ?? [];
    this.#invariants = scenario.invariants?.() ?? [];
  }

  /** Milliseconds since the start. */
  get elapsedMs(): number {
    return this.#clock.elapsedMs;
  }

  /** Broken invariants end a run: what was broken first, or `undefined`. */
  get violation(): string | undefined {
    return this.#violation;
  }

  get hosts(): readonly OperatorHost[] {
    return this.#hosts;
  }

  get actors(): readonly Actor[] {
    return this.#actors;
  }

  /** How many steps of the script are left. */
  get scriptLeft(): number {
    return this.#scenario.script.length - this.#scriptPosition;
  }

  /** The cluster as invariants see it. */
  get view(): ClusterView {
    return {
      objects: (resource, namespace) => this.server.objects(resource, namespace),
      nowMs: this.#clock.nowMs,
      lastStep: this.trace.entries.at(-1)?.label ?? '',
    };
  }

  /** Milliseconds since the start at which something is due by itself; Infinity for never. */
  get nextDueMs(): number {
    const actors = this.#actors
      .flatMap((actor) => actor.steps())
      .filter(({ isFault }) => isFault !== true)
      .map(({ notBefore = -Infinity }) => notBefore - START_MS)
      .filter((atMs) => atMs > this.#clock.elapsedMs);
    const hosts = this.#hosts.map(({ nextDueMs }) => nextDueMs).filter((atMs) => atMs > this.#clock.elapsedMs);
    return Math.min(Infinity, ...hosts, ...actors);
  }

  /** What can happen next: progress first, in the order of a calm world. */
  enabled(): readonly WorldStep[] {
    const pending = this.#hosts.flatMap((host) => host.pending).toSorted((a, b) => a.since - b.since);
    const travelling = pending.flatMap((it) => it.steps());
    const own = this.#hosts.flatMap((host) => host.steps());
    const all = [
      ...travelling,
      ...own,
      ...this.#actorSteps(),
      ...this.#scriptStep(),
      ...this.#timeStep(),
      ...this.#serverFaults(),
    ];
    const rank = { progress: 0, script: 1, time: 2, harmless: 3, fault: 4 };
    return all.toSorted((a, b) => rank[a.nature] - rank[b.nature]);
  }

  /**
   * Lets one thing happen.
   *
   * @param wanted - a step of `enabled()`, or its label
   * @throws {SimulationError} for a step that is not enabled, for a script, an actor or an invariant that throws, for a
   *   function under test that never returns; the message names the seed and the step
   */
  async take(wanted: WorldStep | string): Promise<void> {
    const step = typeof wanted === 'string' ? this.enabled().find(({ label }) => label === wanted) : wanted;
    if (step === undefined) throw this.#error(`Cannot take "${String(wanted)}": nothing of that name can happen now`);
    const outcome = this.#run(step);
    // One turn of the event loop, after which no promise callback is left.
    await setImmediate();
    this.trace.add({ atMs: this.#clock.elapsedMs, nature: step.nature, label: step.label, outcome });
    if (this.#hang !== undefined) throw this.#error(this.#hang);
    this.#checkInvariants();
  }

  #createHosts(random: Random): OperatorHost[] {
    const { kinds, operators = 1, start = startManager } = this.#scenario;
    const onHang = (message: string): void => {
      this.#hang ??= message;
    };
    return Array.from({ length: operators }, (_, index) => {
      return new OperatorHost({
        name: `operator-${index + 1}`,
        kinds: kinds.map((kind) => guarded(kind, onHang)),
        start,
        server: this.server,
        clock: this.#clock,
        since: () => this.#sequence++,
        random,
        note: (text) => this.trace.note(text),
      });
    });
  }

  #actorSteps(): WorldStep[] {
    const { nowMs } = this.#clock;
    return this.#actors
      .flatMap((actor) => actor.steps())
      .filter(({ notBefore = -Infinity }) => notBefore <= nowMs)
      .map(({ label, isFault = false, run }) => ({
        label,
        nature: isFault ? 'fault' : 'progress',
        run: () => void run(),
      }));
  }

  #scriptStep(): WorldStep[] {
    const next = this.#scenario.script[this.#scriptPosition];
    if (next === undefined) return [];
    const run = (): undefined => {
      this.#scriptPosition += 1;
      next.run(this.#user);
      return undefined;
    };
    return [{ label: next.label, nature: 'script', run }];
  }

  #timeStep(): WorldStep[] {
    const dueMs = this.nextDueMs;
    if (dueMs === Infinity) return [];
    return [{ label: 'time passes', nature: 'time', run: () => void this.#clock.advanceTo(dueMs) }];
  }

  #serverFaults(): WorldStep[] {
    const { server } = this;
    return [{ label: 'history forgotten', nature: 'fault', run: () => void server.compact(server.resourceVersion) }];
  }

  #run(step: WorldStep): string {
    try {
      return step.run() ?? '';
    } catch (cause) {
      throw this.#error(`"${step.label}" failed: ${(cause as Error).message}`, cause);
    }
  }

  #checkInvariants(): void {
    const { view } = this;
    for (const { name, check } of this.#invariants) {
      const problem = this.#guardedCheck(name, () => check(view));
      if (problem !== undefined) this.#violation ??= `${name}: ${problem}`;
    }
  }

  #guardedCheck(name: string, check: () => string | undefined): string | undefined {
    try {
      return check();
    } catch (cause) {
      throw this.#error(`invariant "${name}" threw: ${(cause as Error).message}`, cause);
    }
  }

  #error(what: string, cause?: unknown): SimulationError {
    const { name } = this.#scenario;
    const where = `scenario "${name}", seed ${this.#seed}, step ${this.trace.entries.length}`;
    return new SimulationError(`${what} (${where})`, { cause });
  }
}
