import type { SimulationError } from '#lib/errors.ts';
import type { WorldStep } from './step/step.ts';
import { timeline } from './step/trace.ts';
import type { World } from './world.ts';

/** Options for {@link runCalmly}, which runs a world without faults. */
export interface CalmOptions {
  /**
   * Virtual milliseconds without a write after which an operator or actor that only waits for a time counts as idle. If the
   * clock of an operator was set back, the difference is added.
   *
   * @default 1,000,000: enough for a watch without events, a reconnection, and the longest back-off
   */
  readonly quietMs?: number;
  /**
   * How long the run continues to observe the final state, in virtual milliseconds.
   *
   * @default 700,000, in which every watch is renewed
   */
  readonly watchMs?: number;
  /**
   * The maximum number of steps at one point in virtual time. After this number, time advances even if more steps are possible.
   * Without this limit, a loop that retries until a watch is open never ends, because steps take no virtual time.
   *
   * @default Infinity
   */
  readonly patience?: number;
  /** Maximum number of steps. @default 20_000 */
  readonly maxSteps?: number;
  /** Maximum virtual time, in milliseconds. @default 24 hours */
  readonly maxMs?: number;
  /** Ends the run between two steps, with the signal's reason. @default never */
  readonly signal?: AbortSignal;
}

/** The result of a run without faults. */
export interface Rest {
  /** Number of steps of the run. */
  readonly steps: number;
  /** Number of requests, except watches, that operators sent while the run observed the final state. */
  readonly requestsAtRest: number;
}

const HOUR_MS = 3_600_000;
const SHOWN_STEPS = 30;

const isRequest = (label: string): boolean => label.includes(' → ') && !label.includes('→ watch ');

/** Chooses the next step of a run without faults, and detects the end of the run. */
export class CalmOrder {
  readonly #world: World;
  readonly #quietMs: number;
  readonly #watchMs: number;
  #version: string;
  #changedMs: number;
  readonly #patience: number;
  #restingSinceMs: number | undefined;
  #requestsAtRest = 0;
  /** Number of consecutive steps without an advance of time. */
  #hurried = 0;

  constructor(world: World, { quietMs = 1_000_000, watchMs = 700_000, patience = Infinity }: CalmOptions = {}) {
    this.#world = world;
    this.#quietMs = quietMs;
    this.#watchMs = watchMs;
    this.#patience = patience;
    this.#version = world.server.resourceVersion;
    this.#changedMs = world.elapsedMs;
  }

  get requestsAtRest(): number {
    return this.#requestsAtRest;
  }

  /**
   * Chooses the next step.
   *
   * @returns the next step, which the caller must take before the next call; `undefined` at the end of the run
   */
  next(): WorldStep | undefined {
    const world = this.#world;
    if (world.server.resourceVersion !== this.#version) this.#changed();
    const progress = this.#hurried < this.#patience ? world.cluster.calmStep() : undefined;
    if (progress !== undefined) {
      this.#hurried += 1;
      if (this.#restingSinceMs !== undefined && isRequest(progress.label)) this.#requestsAtRest += 1;
      return progress;
    }
    const isImpatient = this.#hurried >= this.#patience;
    this.#hurried = 0;
    if (isImpatient) return world.cluster.timeStep() ?? world.cluster.calmStep();
    const dueMs = world.cluster.nextDueMs;
    const isAtRest = !world.cluster.isWaiting || dueMs - this.#changedMs > this.#quietMs + world.cluster.lagMs;
    if (!isAtRest) return world.cluster.timeStep();
    if (world.scriptLeft > 0) {
      this.#changed();
      return world.scriptStep();
    }
    this.#restingSinceMs ??= world.elapsedMs;
    return dueMs - this.#restingSinceMs > this.#watchMs ? undefined : world.cluster.timeStep();
  }

  #changed(): void {
    this.#version = this.#world.server.resourceVersion;
    this.#changedMs = this.#world.elapsedMs;
    this.#restingSinceMs = undefined;
    this.#requestsAtRest = 0;
  }
}

const restless = (world: World, steps: number): SimulationError => {
  const last = timeline(world.trace.entries.slice(-SHOWN_STEPS));
  const time = `${Math.round(world.elapsedMs / 1000)} s of virtual time`;
  return world.error(`The cluster does not become idle: after ${steps} steps and ${time} the store still changes`, {
    details: `the last steps:\n${last}`,
  });
};

/**
 * Takes the steps of a run without faults. The steps of `VirtualCluster.calmStep` come first, and then advances of time. When the
 * cluster is idle, the next step of the script is taken.
 *
 * @throws {SimulationError} when the cluster does not come to rest within the limits, or as `World.take` does
 */
export const runCalmly = async (world: World, options: CalmOptions = {}): Promise<Rest> => {
  const { maxSteps = 20_000, maxMs = 24 * HOUR_MS, signal } = options;
  const startMs = world.elapsedMs;
  const order = new CalmOrder(world, options);
  let steps = 0;
  for (let step = order.next(); step !== undefined && world.violation === undefined; step = order.next()) {
    signal?.throwIfAborted();
    await world.take(step);
    steps += 1;
    if (steps >= maxSteps || world.elapsedMs - startMs > maxMs) throw restless(world, steps);
  }
  return { steps, requestsAtRest: order.requestsAtRest };
};
