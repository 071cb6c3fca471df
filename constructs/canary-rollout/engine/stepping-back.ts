import { after } from '#lib/desired/clock.ts';
import { forget, type Memory } from './memory.ts';
import { hasSizes, sidesOf } from './mode.ts';
import { freezeOrThaw, isPaused } from './pauses.ts';
import type { Situation } from './situation.ts';
import { stepBelow, stepsOf } from './steps.ts';
import { leaveStep } from './transitions.ts';

/** The sleep of the step that has this share. */
const sleepAt = ({ face }: Situation, percent: number): number =>
  stepsOf(face.settings).find((step) => step.percent === percent)?.sleep ?? 0;

const arrive = (memory: Memory, situation: Situation): Memory => {
  const { percent = 0 } = memory;
  if (percent === 0) return forget(leaveStep(memory), 'rollbackFrom');
  const now = situation.clock.now();
  return { ...memory, stepReadyAt: now, sleepUntil: after(now, sleepAt(situation, percent)) };
};

const descend = (memory: Memory, situation: Situation): Memory => ({
  ...leaveStep(memory),
  percent: stepBelow(situation.face.settings, memory.percent ?? 0)?.percent ?? 0,
});

/** One decision of a version that goes by steps: note that its share is gone, or go on to the step below. No checks are asked. */
export const steppingBack = (given: Memory, situation: Situation): Memory => {
  const memory = freezeOrThaw(given, situation);
  if (isPaused(memory)) return memory;
  if (memory.stepReadyAt === undefined) {
    return hasSizes(situation, sidesOf(situation.face.settings, memory)) ? arrive(memory, situation) : memory;
  }
  const { sleepUntil } = memory;
  return sleepUntil === undefined || situation.clock.reached(sleepUntil) ? descend(memory, situation) : memory;
};
