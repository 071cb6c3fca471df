import type { Actor } from '#lib/sim/actors/actor.ts';
import { faultStep, silently, type WorldStep } from './step.ts';

/** What actors could do at a moment, in epoch milliseconds: what happens by itself, or misfortunes. */
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
      const run = silently(() => step.run());
      steps.push(isFault ? faultStep('actor', label, run) : { label, nature: 'progress', run });
    }
  }
  return steps;
};

/** When an actor next does something by itself that it does not do yet, in epoch milliseconds; Infinity for never. */
export const actorsDueMs = (actors: readonly Actor[], nowMs: number): number => {
  let due = Infinity;
  for (const actor of actors) {
    for (const { notBefore = -Infinity, isFault = false } of actor.steps()) {
      if (!isFault && notBefore > nowMs && notBefore < due) due = notBefore;
    }
  }
  return due;
};
