import { SimulationError } from '#lib/errors.ts';
import { timeline } from './trace.ts';
import type { World } from './world.ts';

/** Bounds of a calm run. */
export interface CalmOptions {
  /** At rest is what has not changed the store for so long, in virtual milliseconds. @default 330_000, longer than any back-off */
  readonly quietMs?: number;
  /** @default 20_000 */
  readonly maxSteps?: number;
  /** Virtual milliseconds. @default 24 hours */
  readonly maxMs?: number;
}

/** How a calm run ended. */
export interface Rest {
  /** Steps that were taken. */
  readonly steps: number;
  /** Requests of operators while the store did not change, other than opening watches: 0 for one that is really at rest. */
  readonly requestsAtRest: number;
}

const HOUR_MS = 3_600_000;
const SHOWN_STEPS = 30;

const isRequest = (label: string): boolean => label.includes(' → ') && !label.includes('→ watch ');

const restless = (world: World, steps: number): SimulationError => {
  const last = timeline(world.trace.entries.slice(-SHOWN_STEPS));
  const time = `${Math.round(world.elapsedMs / 1000)} s of virtual time`;
  return new SimulationError(
    `Nothing comes to rest: after ${steps} steps and ${time} the store still changes; the last steps:\n${last}`,
  );
};

/**
 * Lets happen what happens when nothing goes wrong: everything in the order in which it was put on its way, then time.
 * The next step of the script is taken when all is at rest.
 *
 * @throws {SimulationError} when it does not come to rest within the bounds, or as `World.take` does
 */
export const runCalmly = async (world: World, options: CalmOptions = {}): Promise<Rest> => {
  const { quietMs = 330_000, maxSteps = 20_000, maxMs = 24 * HOUR_MS } = options;
  const startMs = world.elapsedMs;
  let [version, changedMs, requestsAtRest, steps] = [world.server.resourceVersion, world.elapsedMs, 0, 0];
  while (world.violation === undefined) {
    const next = world.enabled().find(({ nature }) => nature === 'progress' || nature === 'time');
    const isQuiet = next === undefined || (next.nature === 'time' && world.nextDueMs - changedMs > quietMs);
    const script = isQuiet ? world.enabled().find(({ nature }) => nature === 'script') : undefined;
    const step = script ?? (isQuiet ? undefined : next);
    if (step === undefined) break;
    await world.take(step);
    steps += 1;
    if (isRequest(step.label)) requestsAtRest += 1;
    if (world.server.resourceVersion !== version || script !== undefined) {
      [version, changedMs, requestsAtRest] = [world.server.resourceVersion, world.elapsedMs, 0];
    }
    if (steps >= maxSteps || world.elapsedMs - startMs > maxMs) throw restless(world, steps);
  }
  return { steps, requestsAtRest };
};
