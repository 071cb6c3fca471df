import { CalmOrder } from '#lib/sim/world/calm.ts';
import type { World } from '#lib/sim/world/world.ts';

/**
 * The labels of the steps of a run with faults, in order. The steps without faults, which follow until the cluster is at rest,
 * are not included. The entry `… label` stands for the step with this label, after all steps without faults until this step is
 * possible.
 */
export type Schedule = readonly string[];

const UNTIL = '… ';

/** Maximum number of steps without faults that an entry `… label` takes before its own step. */
const UNTIL_STEPS = 300;

/** Converts a label to the entry `… label`, which also stands for the steps before it. */
export const waitingFor = (entry: string): string => (entry.startsWith(UNTIL) ? entry : `${UNTIL}${entry}`);

const labelOf = (entry: string): string => (entry.startsWith(UNTIL) ? entry.slice(UNTIL.length) : entry);

const awaitStep = async (world: World, label: string): Promise<void> => {
  const order = new CalmOrder(world);
  for (let steps = 0; steps < UNTIL_STEPS && world.find(label) === undefined; steps += 1) {
    const next = order.next();
    if (next === undefined || world.violation !== undefined) return;
    await world.take(next);
  }
};

const SHOWN = 12;

/**
 * Takes the steps of a schedule, until an invariant is violated.
 *
 * @param isStrict - whether an entry that is not possible is an error. Otherwise, such an entry is skipped, as in the search for
 *   a shorter schedule
 * @throws {SimulationError} as `World.take` does, and for an entry that is not possible if `isStrict` is set
 */
export const followSchedule = async (
  world: World,
  schedule: Schedule,
  { isStrict = false }: { readonly isStrict?: boolean } = {},
): Promise<void> => {
  for (const [index, entry] of schedule.entries()) {
    const label = labelOf(entry);
    if (label !== entry) await awaitStep(world, label);
    if (world.violation !== undefined) return;
    const step = world.find(label);
    if (step !== undefined) await world.take(step);
    else if (isStrict) {
      const possible = world.enabled().slice(0, SHOWN);
      const details = `possible are: ${possible.map((it) => it.label).join('; ')}, …`;
      throw world.error(`Entry ${index + 1} of the schedule, "${entry}", cannot happen`, { details });
    }
  }
};
