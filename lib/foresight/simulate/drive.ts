import type { SimulationError } from '#lib/errors.ts';
import type { WorldStep } from '#lib/sim/world/step.ts';
import type { World } from '#lib/sim/world/world.ts';
import type { Change } from './script.ts';

/** What drives a world through a script. */
export interface DriveOptions {
  readonly world: World;
  readonly changes: readonly Change[];
  /** Milliseconds; absent: until nothing happens any more. */
  readonly durationMs?: number | undefined;
  /** Makes a step of a change. What it puts off comes to `later`. */
  readonly stepOf: (change: Change, later: (atMs: number, change: Change) => void) => WorldStep;
  /** Until then the operator does not start, in milliseconds since the start. */
  readonly operatorDownUntilMs: () => number;
  /** Told before each step. */
  readonly onStep: (step: WorldStep) => void;
  /** Told after each step. */
  readonly afterStep: () => void;
}

/** So long nothing is stored before it counts as the end: a back-off, a silent watch and a reconnection are over by then. */
const QUIET_MS = 1_000_000;

/** Without a duration it ends so long after the last change of the script at the latest. */
const LONGEST_MS = 86_400_000;

/** So many steps without any time going by are no work any more. */
const HURRY = 50_000;

const STARTS = / starts$/;

class Drive {
  readonly #options: DriveOptions;
  readonly #queue: Change[];
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
    // What was asked for at a moment happens before what it sets off.
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

  #later(atMs: number, change: Change): void {
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

  /** To what is due next, or to the end. */
  #timeStep(): WorldStep | undefined {
    const { world, durationMs, operatorDownUntilMs } = this.#options;
    const change = this.#queue[0]?.atMs ?? Infinity;
    const upMs = operatorDownUntilMs() > world.elapsedMs ? operatorDownUntilMs() : Infinity;
    const asked = Math.min(change, upMs);
    const next = Math.min(asked, world.cluster.nextDueMs);
    const isQuiet = asked === Infinity && (!world.cluster.isWaiting || next - this.lastChangeMs > QUIET_MS);
    const endMs = durationMs ?? (isQuiet ? world.elapsedMs : this.#askedUntilMs + LONGEST_MS);
    // A label names whole milliseconds, and back-offs are due at fractions: rounded down, the same step would follow for ever.
    const toMs = Math.ceil(Math.min(next, endMs));
    return toMs > world.elapsedMs ? world.find(`time passes to +${toMs / 1000}s`) : undefined;
  }

  #restless({ label }: WorldStep): SimulationError {
    const details = `the next would be "${label}"; a kind that writes what differs each time does that`;
    return this.#options.world.error(`Time stands still: ${HURRY} steps were taken at one moment`, { details });
  }
}

/** Lets a script and what follows from it happen. @returns when something was stored last, in milliseconds since the start */
export const drive = async (options: DriveOptions): Promise<number> => {
  const driver = new Drive(options);
  await driver.run();
  return driver.lastChangeMs;
};
