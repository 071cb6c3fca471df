import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import type { Actor } from '#lib/controllers/actor.ts';
import type { ServerRecorder } from './api/recorder.ts';
import type { OperatorHost } from './host/operator-host.ts';
import type { Pending } from './link/pending.ts';
import { actorSteps, actorsDueMs } from './step/actor-steps.ts';
import type { VirtualClock } from './step/clock.ts';
import { faultStep, silently, type WorldStep } from './step/step.ts';
import { timePasses } from './step/time-step.ts';

/** What a cluster is made of. */
export interface VirtualClusterOptions {
  readonly server: ApiServer;
  readonly clock: VirtualClock;
  readonly hosts: readonly OperatorHost[];
  readonly actors: readonly Actor[];
  /** Present when fingerprints of the state are wanted. */
  readonly recorder: ServerRecorder | undefined;
}

const byWords = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

const bySince = (a: Pending, b: Pending): number => a.since - b.since;

/** Steps under labels of their own: of several of the same name, such as a request that was sent again after a crash, the later ones are numbered. */
const distinct = (steps: readonly WorldStep[]): readonly WorldStep[] => {
  const seen = new Map<string, number>();
  let isDistinct = true;
  for (const { label } of steps) {
    const count = (seen.get(label) ?? 0) + 1;
    seen.set(label, count);
    isDistinct &&= count === 1;
  }
  if (isDistinct) return steps;
  seen.clear();
  return steps.map((step) => {
    const count = (seen.get(step.label) ?? 0) + 1;
    seen.set(step.label, count);
    return count === 1 ? step : { ...step, label: `${step.label} (${count})` };
  });
};

/**
 * The API server, the actors, the operators, and the messages between them. The class lists the possible next steps and their
 * times. It does not choose between the steps, and does not use the scenario.
 */
export class VirtualCluster {
  readonly actors: readonly Actor[];
  /** What was stored by then is the same in all runs. */
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

  /** Milliseconds since the start at which something is due by itself; Infinity for never. */
  get nextDueMs(): number {
    const now = this.#clock.elapsedMs;
    let due = Infinity;
    for (const { nextDueMs } of this.#hosts) if (nextDueMs > now && nextDueMs < due) due = nextDueMs;
    return Math.min(due, actorsDueMs(this.actors, this.#clock.nowMs) - this.#clock.startMs);
  }

  /** True while time alone will bring something other than the renewal of watches that work. */
  get isWaiting(): boolean {
    return this.#hosts.some(({ isWaiting }) => isWaiting) || actorsDueMs(this.actors, this.#clock.nowMs) < Infinity;
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
    return first?.progress() ?? actorSteps(this.actors, this.#clock.nowMs, 'progress')[0];
  }

  /** Everything that can happen by itself, in the order of a calm world; time is not among it. */
  progress(): readonly WorldStep[] {
    const steps: WorldStep[] = [];
    const add = (step: WorldStep | undefined): void => {
      if (step !== undefined) steps.push(step);
    };
    for (const pending of this.#pending()) add(pending.progress());
    for (const host of this.#hosts) add(host.progress());
    return distinct([...steps, ...actorSteps(this.actors, this.#clock.nowMs, 'progress')]);
  }

  /** Lets time pass until something is due; `undefined` when nothing ever is. */
  timeStep(): WorldStep | undefined {
    return timePasses(this.#clock, this.nextDueMs);
  }

  /** What may happen or not: bookmarks, misfortunes. */
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

  /** Called after every step. */
  settle(): void {
    if (this.#recorder) for (const host of this.#hosts) host.settle();
  }

  /** Its state as JSON, for fingerprints, with versions and times as they are, but for what actors remember; only when recorded. */
  describe(): unknown {
    const { resourceVersion } = this.#server;
    return [
      { initial: { resourceVersion: this.initialVersion }, last: { resourceVersion } },
      { forgotten: { resourceVersion: this.#forgottenThrough } },
      this.#recorder?.describe(this.#hosts.flatMap((host) => host.positions)) ?? null,
      this.#server.dump(),
      this.#hosts.map((host) => host.describe()),
      // The order in which things were sent tells nothing: any may happen next.
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
