import { forgetMembers, type RolloutMemory } from '#constructs/rollout/engine/state/memory.ts';
import { hasSizes, sidesOf } from '#constructs/rollout/engine/state/mode.ts';
import { correctSleepTimes, freezeOrThaw, isPaused } from '#constructs/rollout/engine/state/pauses.ts';
import type { RolloutSituation } from '#constructs/rollout/engine/state/situation.ts';
import { sleepOf, stepBelow } from '#constructs/rollout/engine/state/steps.ts';
import { after } from '#lib/desired/clock.ts';
import { leaveStep } from './transitions.ts';

const arrive = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory => {
  const { percent = 0 } = memory;
  if (percent === 0) return { ...forgetMembers(leaveStep(memory), 'rollbackFrom'), percent: 100 };
  const now = situation.clock.now();
  return { ...memory, stepReadyAt: now, sleepUntil: after(now, sleepOf(situation.adapter.settings, memory)) };
};

const descend = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory => ({
  ...leaveStep(memory),
  percent: stepBelow(situation.adapter.settings, memory.percent ?? 0)?.percent ?? 0,
});

/**
 * Advances a rollback in steps: once a step has its sizes and its sleep is over, continues with the step below. A rollback runs
 * no checks.
 */
export const steppingBack = (given: RolloutMemory, situation: RolloutSituation): RolloutMemory => {
  const memory = freezeOrThaw(correctSleepTimes(given, situation), situation);
  if (isPaused(memory)) return memory;
  if (memory.stepReadyAt === undefined) {
    return hasSizes(situation, sidesOf(situation.adapter.settings, memory)) ? arrive(memory, situation) : memory;
  }
  const { sleepUntil } = memory;
  return sleepUntil === undefined || situation.clock.reached(sleepUntil) ? descend(memory, situation) : memory;
};
