import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import type { Actor } from '#lib/controllers/actor.ts';
import type { ServerRecorder } from './api/recorder.ts';
import type { OperatorHost } from './host/operator-host.ts';
import type { Pending } from './link/pending.ts';
import { actorSteps, actorsDueMs } from './step/actor-steps.ts';
import type { VirtualClock } from './step/clock.ts';
import { faultStep, silently, type WorldStep } from './step/step.ts';
import { timePasses } from './step/time-step.ts';

/** Options for {@link VirtualCluster}. */
export interface VirtualClusterOptions {
  readonly server: ApiServer;
  readonly clock: VirtualClock;
  readonly hosts: readonly OperatorHost[];
  readonly actors: readonly Actor[];
  /** Records changes for fingerprints of the state; `undefined` if no fingerprints are needed. */
  readonly recorder: ServerRecorder | undefined;
}

const byWords = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

const bySince = (a: Pending, b: Pending): number => a.since - b.since;

/**
 * Makes labels unique: if several steps have the same label, the second and later ones get a number. An example is a request that
 * is sent again after a crash.
 */
const distinct = (steps: readonly WorldStep[]): readonly WorldStep[] => {
  const seen = new Map<string, number>();
  let isDistinct = true;
  for (const { label } of steps) {
    const count = (seen.get(label) ?? 0) + 1;
    seen.set(label, count);
    isDistinct &&= count === 1;
  }
  if (isDistinct) return steps;
  const counts = new Map<string, number>();
  return steps.map((step) => {
    if (seen.get(step.label) === 1) return step;
    // A number can pass to another step with the same label, so a search must not rely on what the label stands for.
    const { touches: _, ...counted } = step;
    const count = (counts.get(step.label) ?? 0) + 1;
    counts.set(step.label, count);
    return count === 1 ? counted : { ...counted, label: `${step.label} (${count})` };
  });
};

/**
 * The API server, the actors, the operators, and the messages between them. The class lists the possible next steps and their
 * times. The class does not choose between the steps, and does not use the scenario.
 */
export class VirtualCluster {
  readonly actors: readonly Actor[];
  /** The resource version at the start. Objects up to this version are the same in all runs. */
  readonly initialVersion: string;
  readonly #server: ApiServer;
  readonly #clock: VirtualClock;
  readonly #hosts: readonly OperatorHost[];
  readonly #recorder: ServerRecorder | undefined;
  #forgottenThrough = '0';

  constructor({ server, clock, hosts, actors, recorder }: VirtualClusterOptions) {
    this.#server = server;
    this.#clock = clock;
    this.#hosts = hosts;
    this.actors = actors;
    this.#recorder = recorder;
    this.initialVersion = server.resourceVersion;
  }

  /**
   * When the next timer, end of a watch or step of an actor is due, in milliseconds since the start; Infinity if there is none.
   */
  get nextDueMs(): number {
    const now = this.#clock.elapsedMs;
    let due = Infinity;
    for (const { nextDueMs } of this.#hosts) if (nextDueMs > now && nextDueMs < due) due = nextDueMs;
    return Math.min(due, actorsDueMs(this.actors, this.#clock.nowMs) - this.#clock.startMs);
  }

  /**
   * Difference between the true time and the slowest clock of an operator, in milliseconds. The operator acts on times in objects
   * with this delay.
   */
  get lagMs(): number {
    return Math.max(0, ...this.#hosts.map(({ name }) => -this.#clock.jumpMs(name)));
  }

  /** Whether the passing of time alone causes work, apart from the renewal of watches. */
  get isWaiting(): boolean {
    return this.#hosts.some(({ isWaiting }) => isWaiting) || actorsDueMs(this.actors, this.#clock.nowMs) < Infinity;
  }

  /**
   * The next step of a run without faults, except advances of time. The starts and timers of operators come first, then messages
   * in the order of sending, then actors.
   */
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
    return first?.progress() ?? actorSteps(this.actors, this.#clock.nowMs, 'progress')[0];
  }

  /** All possible steps without faults, except advances of time. Messages come first, in the order of sending. */
  progress(): readonly WorldStep[] {
    return distinct(this.#progress());
  }

  /** Returns the step of `progress` or `others` with a label; `undefined` if there is none. */
  find(label: string): WorldStep | undefined {
    const isIt = (step: WorldStep): boolean => step.label === label;
    // The first of several steps with the same label keeps this label.
    return this.#progress().find(isIt) ?? this.progress().find(isIt) ?? this.others().find(isIt);
  }

  #progress(): readonly WorldStep[] {
    const steps: WorldStep[] = [];
    const add = (step: WorldStep | undefined): void => {
      if (step !== undefined) steps.push(step);
    };
    for (const pending of this.#pending()) add(pending.progress());
    for (const host of this.#hosts) add(host.progress());
    return [...steps, ...actorSteps(this.actors, this.#clock.nowMs, 'progress')];
  }

  /** The step that advances the time until something is due; `undefined` when nothing is due at any time. */
  timeStep(): WorldStep | undefined {
    return timePasses(this.#clock, this.nextDueMs);
  }

  /** The optional steps: bookmarks and faults. */
  others(): readonly WorldStep[] {
    const server = this.#server;
    const forget = silently(() => {
      this.#forgottenThrough = server.resourceVersion;
      server.compact(server.resourceVersion);
    });
    return distinct([
      ...this.#pending().flatMap((pending) => pending.others()),
      ...this.#hosts.flatMap((host) => host.faults()),
      ...actorSteps(this.actors, this.#clock.nowMs, 'fault'),
      faultStep('history forgotten', 'history forgotten', forget),
    ]);
  }

  /**
   * The state of the cluster as JSON, for fingerprints, with real resource versions and times. The memory of actors is not
   * included. The state is complete only with a recorder.
   */
  describe(): unknown {
    const { resourceVersion } = this.#server;
    return [
      { initial: { resourceVersion: this.initialVersion }, last: { resourceVersion } },
      { forgotten: { resourceVersion: this.#forgottenThrough } },
      this.#recorder?.describe(this.#hosts.flatMap((host) => host.positions)) ?? null,
      this.#server.dump(),
      this.#hosts.map((host) => host.describe()),
      // Messages are sorted by text, because the order of sending does not matter: any message may be delivered next.
      this.#pending()
        .map((pending) => [pending.words, pending.describe()] as const)
        .toSorted(byWords),
      this.#clock.nowMs % 1000,
    ];
  }

  #pending(): Pending[] {
    return this.#hosts.flatMap((host) => host.pending).toSorted(bySince);
  }
}
