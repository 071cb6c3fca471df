import type { Actor, ActorStep } from '#lib/controllers/actor.ts';
import { atOnce } from '#lib/sim/world/guard/detached.ts';
import type { Guard } from '#lib/sim/world/guard/guard.ts';
import { faultStep, silently, type WorldStep } from './step.ts';
import { errorInWords } from './wording.ts';

/**
 * Returns the steps of actors without a `notBefore` in the future: the faults for `fault`, all other steps for `progress`.
 *
 * @param nowMs - the current time, in epoch milliseconds
 */
export const actorSteps = (
  actors: readonly Actor[],
  nowMs: number,
  nature: 'progress' | 'fault',
): readonly WorldStep[] => {
  const steps: WorldStep[] = [];
  for (const actor of actors) {
    for (const step of actor.steps()) {
      const { label, notBefore = -Infinity, isFault = false } = step;
      if (notBefore > nowMs || isFault !== (nature === 'fault')) continue;
      const run = silently(() => atOnce(step.run()));
      steps.push(
        isFault ? faultStep('actor', label, run) : { label, nature: 'progress', touches: { server: 'writes' }, run },
      );
    }
  }
  return steps;
};

/** The earliest future time at which a regular step of an actor becomes due, in epoch milliseconds; Infinity if there is none. */
export const actorsDueMs = (actors: readonly Actor[], nowMs: number): number => {
  let due = Infinity;
  for (const actor of actors) {
    for (const { notBefore = -Infinity, isFault = false } of actor.steps()) {
      if (!isFault && notBefore > nowMs && notBefore < due) due = notBefore;
    }
  }
  return due;
};

const isStep = ({ label, notBefore, run }: Partial<ActorStep>): boolean =>
  typeof label === 'string' && label !== '' && !Number.isNaN(notBefore) && typeof run === 'function';

/**
 * Calls `steps()` of every actor after a step of the run. The error of an actor is therefore reported at the step that caused
 * the error, and not at a later step.
 *
 * @throws {Error} with the name of the actor, when an actor throws, or does not return a list of valid steps
 */
export const assertActors = (actors: readonly Actor[], guard: Guard): void => {
  for (const actor of actors) {
    const what = `steps() of actor "${actor.name}"`;
    let steps: readonly ActorStep[];
    try {
      steps = guard.call(what, () => actor.steps());
    } catch (cause) {
      throw new Error(`${what} threw: ${errorInWords(cause)}`, { cause });
    }
    if (Array.isArray(steps) && steps.every(isStep)) continue;
    throw new Error(
      `${what} returned an invalid list of steps; each has a label, run(), and notBefore in epoch milliseconds`,
    );
  }
};
