import type { SimulationError } from '#lib/errors.ts';
import type { WorldStep } from '#lib/sim/world/step/step.ts';
import type { World } from '#lib/sim/world/world.ts';
import type { ScriptChange } from './script/script.ts';

/** Options for {@link drive}. */
export interface DriveOptions {
  readonly world: World;
  readonly changes: readonly ScriptChange[];
  /** Duration of the run in milliseconds. If it is absent, the run ends when the cluster is quiet, or after a maximum time. */
  readonly durationMs?: number | undefined;
  /** Converts a change to a step. The step passes its later parts, such as the end of a fault, to `later`. */
  readonly stepOf: (change: ScriptChange, later: (atMs: number, change: ScriptChange) => void) => WorldStep;
  /** Returns the end of the downtime of the operator, in milliseconds since the start. */
  readonly operatorDownUntilMs: () => number;
  /** Called before each step. */
  readonly onStep: (step: WorldStep) => void;
  /** Called after each step. */
  readonly afterStep: () => void;
}

/**
 * Time without a stored change after which the cluster counts as quiet, in milliseconds. The time is longer than any back-off,
 * watch timeout and reconnection delay.
 */
const QUIET_MS = 1_000_000;

/** Maximum time after the last change of the script, in milliseconds, for a run without a duration. */
const LONGEST_MS = 86_400_000;

/** Maximum number of steps without an advance of time. A run with more steps fails as an endless loop. */
const HURRY = 50_000;

const STARTS = / starts$/;

class Drive {
  readonly #options: DriveOptions;
  readonly #queue: ScriptChange[];
  #version: string;
  #hurried = 0;
  #askedUntilMs = 0;
  lastChangeMs = 0;

  constructor(options: DriveOptions) {
    this.#options = options;
    this.#queue = [...options.changes];
    this.#askedUntilMs = options.changes.at(-1)?.atMs ?? 0;
    this.#version = options.world.server.resourceVersion;
  }

  async run(): Promise<void> {
    const { world } = this.#options;
    for (let step = this.#next(); step !== undefined; step = this.#next()) {
      this.#options.onStep(step);
      await world.take(step);
      this.#options.afterStep();
      if (world.server.resourceVersion === this.#version) continue;
      this.#version = world.server.resourceVersion;
      this.lastChangeMs = world.elapsedMs;
    }
  }

  #next(): WorldStep | undefined {
    const { world } = this.#options;
    const due = this.#queue[0];
    // At one instant, a change of the script comes before all other steps.
    if (due !== undefined && due.atMs <= world.elapsedMs) {
      this.#queue.shift();
      return this.#options.stepOf(due, (atMs, change) => this.#later(atMs, change));
    }
    const step = this.#progress();
    if (step !== undefined) {
      this.#hurried += 1;
      if (this.#hurried > HURRY) throw this.#restless(step);
      return step;
    }
    this.#hurried = 0;
    return this.#timeStep();
  }

  #later(atMs: number, change: ScriptChange): void {
    const place = this.#queue.findIndex((other) => other.atMs > atMs);
    this.#askedUntilMs = Math.max(this.#askedUntilMs, atMs);
    this.#queue.splice(place === -1 ? this.#queue.length : place, 0, change);
  }

  #isHeldBack({ label }: WorldStep): boolean {
    return STARTS.test(label) && this.#options.world.elapsedMs < this.#options.operatorDownUntilMs();
  }

  #progress(): WorldStep | undefined {
    const { world } = this.#options;
    const step = world.cluster.calmStep();
    if (step === undefined || !this.#isHeldBack(step)) return step;
    return world.cluster.progress().find((other) => !this.#isHeldBack(other));
  }

  /** The step that advances the clock to the next due work, or to the end of the run. */
  #timeStep(): WorldStep | undefined {
    const { world, durationMs, operatorDownUntilMs } = this.#options;
    const change = this.#queue[0]?.atMs ?? Infinity;
    const upMs = operatorDownUntilMs() > world.elapsedMs ? operatorDownUntilMs() : Infinity;
    const asked = Math.min(change, upMs);
    const next = Math.min(asked, world.cluster.nextDueMs);
    const isQuiet = asked === Infinity && (!world.cluster.isWaiting || next - this.lastChangeMs > QUIET_MS);
    const endMs = durationMs ?? (isQuiet ? world.elapsedMs : this.#askedUntilMs + LONGEST_MS);
    // Labels contain whole milliseconds, but a back-off can end at a fraction of a millisecond. If the time were rounded down,
    // the due work would never be reached, and the same step would repeat for ever.
    const toMs = Math.ceil(Math.min(next, endMs));
    return toMs > world.elapsedMs ? world.find(`time passes to +${toMs / 1000}s`) : undefined;
  }

  #restless({ label }: WorldStep): SimulationError {
    const details = `the next would be "${label}"; a kind that writes something else each time causes this`;
    return this.#options.world.error(`Time does not advance: ${HURRY} steps were taken at one instant`, { details });
  }
}

/** Runs a script and its consequences. @returns the time of the last stored change, in milliseconds since the start */
export const drive = async (options: DriveOptions): Promise<number> => {
  const driver = new Drive(options);
  await driver.run();
  return driver.lastChangeMs;
};
