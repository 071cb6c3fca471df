import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import type { Actor } from '#lib/controllers/actor.ts';
import { createActors } from '#lib/controllers/actors.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { LiveObject } from '#lib/foresight/cluster/live-object.ts';
import { restoreCluster } from '#lib/foresight/cluster/restore.ts';
import { VirtualOperator } from '#lib/foresight/cluster/virtual-operator.ts';
import { makeChange, type PlannedChange } from '#lib/foresight/plan/change.ts';
import { type PlannedWrite, plannedWrite, Reasons } from '#lib/foresight/plan/planned-write.ts';
import type { DecidedPass } from '#lib/loop/pass/decision.ts';
import { VirtualClock } from '#lib/sim/world/step/clock.ts';

/** The time of plans in tests, in epoch milliseconds. */
export const NOW = Date.UTC(2026, 10, 22, 12);

/** A PodSet `default/web`. */
export const podSetOf = (replicas: number, image = 'web:1'): LiveObject => ({
  apiVersion: 'app.example.com/v1alpha1',
  kind: 'PodSet',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas,
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image }] } },
  },
});

/** Options of a cluster. */
export interface RunningOptions {
  /** Start of the clock, in epoch milliseconds. @default NOW */
  readonly startMs?: number;
  /** Called for every pass of the operator. */
  readonly onDecision?: (decision: DecidedPass) => void;
}

/** A cluster in virtual time with an operator that keeps its memory, and other actors that can be paused. */
export class RunningCluster {
  readonly #clock: VirtualClock;
  readonly #server: ApiServer;
  readonly #operator: VirtualOperator;
  readonly #close: () => void;
  readonly #reasons = new Reasons();
  readonly #isAlone: { value: boolean };
  #writes: PlannedWrite[] = [];

  private constructor(
    kinds: readonly AnyKindDefinition[],
    manifests: readonly LiveObject[],
    { startMs = NOW, onDecision = () => undefined }: RunningOptions,
  ) {
    this.#clock = new VirtualClock(startMs);
    const now = (): number => this.#clock.nowMs;
    this.#server = restoreCluster({ kinds, live: manifests, now }).server;
    const cluster = createActors({ server: this.#server, now });
    this.#close = () => cluster.close();
    const isAlone = { value: false };
    this.#isAlone = isAlone;
    const pausing = cluster.actors.map(
      (actor): Actor => ({ name: actor.name, steps: () => (isAlone.value ? [] : actor.steps()) }),
    );
    this.#operator = new VirtualOperator({
      kinds,
      server: this.#server,
      clock: this.#clock,
      actors: pausing,
      onDecision: (decision) => {
        this.#reasons.note(decision);
        onDecision(decision);
      },
      onWrite: (write) => {
        const planned = plannedWrite(write, this.#reasons, this.#clock.elapsedMs);
        if (planned) this.#writes.push(planned);
      },
    });
  }

  static async start(
    kinds: readonly AnyKindDefinition[],
    manifests: readonly LiveObject[],
    options: RunningOptions = {},
  ): Promise<RunningCluster> {
    const cluster = new RunningCluster(kinds, manifests, options);
    await cluster.#operator.start();
    return cluster;
  }

  /** Epoch milliseconds. */
  get now(): number {
    return this.#clock.nowMs;
  }

  /** Runs all actors for this time. @returns the operator's writes */
  async run(ms: number): Promise<readonly PlannedWrite[]> {
    const untilMs = this.#clock.elapsedMs + ms;
    this.#writes = [];
    await this.#operator.run(untilMs);
    this.#clock.advanceTo(untilMs);
    return this.#writes;
  }

  /** Runs the operator alone for this time. @returns its writes */
  async runAlone(ms: number): Promise<readonly PlannedWrite[]> {
    this.#isAlone.value = true;
    const writes = await this.run(ms);
    this.#isAlone.value = false;
    return writes;
  }

  /** Makes a change as a user. */
  change(change: PlannedChange): void {
    makeChange(this.#server, change);
  }

  /** All stored objects except for CRDs, as in a dump of a cluster. */
  dump(): readonly LiveObject[] {
    return Object.entries(this.#server.dump())
      .filter(([resource]) => !resource.startsWith('customresourcedefinitions'))
      .flatMap(([, objects]) => objects as readonly LiveObject[]);
  }

  async stop(): Promise<void> {
    await this.#operator.stop();
    this.#close();
  }
}

const HOUR_MS = 3_600_000;

/**
 * A dump of a cluster in which the operator and all other actors have handled these manifests for an hour, until `NOW`.
 */
export const liveCluster = async (
  kinds: readonly AnyKindDefinition[],
  manifests: readonly LiveObject[],
): Promise<readonly LiveObject[]> => {
  const cluster = await RunningCluster.start(kinds, manifests, { startMs: NOW - HOUR_MS });
  await cluster.run(HOUR_MS);
  const live = cluster.dump();
  await cluster.stop();
  return live;
};
