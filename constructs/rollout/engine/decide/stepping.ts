import type { CheckPoint } from '#constructs/rollout/engine/checks.ts';
import { forgetMembers, type RolloutMemory } from '#constructs/rollout/engine/state/memory.ts';
import { hasAvailable, hasSizes, modeOf, sidesOf } from '#constructs/rollout/engine/state/mode.ts';
import {
  correctSleepTimes,
  freezeOrThaw,
  isPaused,
  pauseRollout,
  pauses,
  pausesForCommand,
  resume,
} from '#constructs/rollout/engine/state/pauses.ts';
import type { RolloutSituation } from '#constructs/rollout/engine/state/situation.ts';
import { currentStep } from '#constructs/rollout/engine/state/steps.ts';
import { after } from '#lib/desired/clock.ts';
import { applyDeadline, noteProgress, pastOf } from './deadline.ts';
import { applyChecksInTurn, applyRolloutChecks, type Draft } from './draft.ts';
import { leaveStep, promote } from './transitions.ts';

/** Seconds for which pods may be unavailable during a sleep before the sleep is suspended. */
const MISSING_SECONDS = 30;

/** Whether the children have their desired sizes, and the desired pods of the canary are available. */
export const isReached = (memory: RolloutMemory, situation: RolloutSituation): boolean => {
  const sides = sidesOf(situation.adapter.settings, memory);
  return hasSizes(situation, sides) && hasAvailable(situation, sides);
};

/** Starts the current step: its percentage becomes the target of the rollout. */
export const startStep = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory => {
  const { step } = currentStep(situation.adapter.settings, memory);
  const now = situation.clock.now();
  return { ...memory, stepStartedAt: now, progressAt: now, percent: step.percent };
};

/**
 * Moves a rollout to its next step. On the last step, promotes the version if its pods are available; otherwise the step
 * continues.
 */
export const nextStep = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory => {
  const { index, isLast } = currentStep(situation.adapter.settings, memory);
  if (!isLast) return { ...leaveStep(memory), currentStepIndex: index + 1 };
  return isReached(memory, situation) ? promote(memory, situation) : memory;
};

const gatesOf = (memory: RolloutMemory, situation: RolloutSituation): readonly CheckPoint[] => {
  const { index, isLast } = currentStep(situation.adapter.settings, memory);
  return [
    ...(index === 0 ? (['ConfirmRollout'] as const) : []),
    'Pre',
    ...(isLast ? (['ConfirmPromotion'] as const) : []),
  ];
};

const enter = (draft: Draft, situation: RolloutSituation): Draft => {
  if (isPaused(draft.memory)) return draft;
  const { draft: checked, passed } = applyChecksInTurn(draft, situation, gatesOf(draft.memory, situation));
  return passed ? { ...checked, memory: startStep(checked.memory, situation) } : checked;
};

const progressOf = (memory: RolloutMemory, situation: RolloutSituation): NonNullable<RolloutMemory['progress']> => {
  const { step, index } = currentStep(situation.adapter.settings, memory);
  const { percent, sleep = 0 } = step;
  const wait = sleep > 0 ? { wait: `${sleep}s till next step` } : {};
  return { percentage: `${percent}% has been deployed`, step: `no. ${index + 1}`, ...wait };
};

const arrive = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory => {
  const now = situation.clock.now();
  const { step } = currentStep(situation.adapter.settings, memory);
  const arrived = { ...memory, stepReadyAt: now, progress: progressOf(memory, situation) };
  if (step.pause && memory.fullPromotion !== true) return pauseRollout(arrived, situation, pauses.step);
  return { ...arrived, sleepUntil: after(now, memory.fullPromotion ? 0 : (step.sleep ?? 0)) };
};

const approach = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory =>
  !isPaused(memory) && isReached(memory, situation)
    ? arrive(noteProgress(memory, situation), situation)
    : awaitPods(memory, situation);

const awaitPods = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory => {
  const noted = noteProgress(memory, situation);
  return isPaused(noted) ? noted : applyDeadline(noted, situation);
};

/**
 * Pauses the rollout if pods have been unavailable for `MISSING_SECONDS`, and ends this pause once they are available. A shorter
 * loss of pods does not suspend the sleep.
 */
const guard = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory => {
  if (hasAvailable(situation, sidesOf(situation.adapter.settings, memory))) {
    return resume(forgetMembers(memory, 'belowTargetSince'), [pauses.availability]);
  }
  const since = pastOf(memory.belowTargetSince, situation.clock);
  const noted = { ...memory, belowTargetSince: since };
  const isLong = situation.clock.reached(after(since, MISSING_SECONDS));
  return applyDeadline(isLong ? pauseRollout(noted, situation, pauses.availability) : noted, situation);
};

const isOver = ({ sleepUntil }: RolloutMemory, { clock }: RolloutSituation): boolean =>
  sleepUntil === undefined || clock.reached(sleepUntil);

/**
 * Watches the pods of a step during its sleep, and runs its checks. No checks run while a pause of a check or of the deadline
 * waits for a command.
 */
const watchStep = (draft: Draft, situation: RolloutSituation): { readonly draft: Draft; readonly passed: boolean } => {
  const memory = freezeOrThaw(correctSleepTimes(guard(draft.memory, situation), situation), situation);
  const watched = { ...draft, memory };
  const isLeft = modeOf(memory) !== 'stepping' || pausesForCommand(memory).some((reason) => reason !== pauses.step);
  if (isLeft) return { draft: watched, passed: false };
  return applyChecksInTurn(watched, situation, memory.fullPromotion ? [] : ['Step']);
};

const stay = (draft: Draft, situation: RolloutSituation): Draft => {
  const { draft: checked, passed } = watchStep(draft, situation);
  if (!passed || isPaused(checked.memory) || !isOver(checked.memory, situation)) {
    return { ...checked, memory: freezeOrThaw(checked.memory, situation) };
  }
  return isReached(checked.memory, situation) ? leave(checked, situation) : checked;
};

const leave = (draft: Draft, situation: RolloutSituation): Draft => {
  const hooks: readonly CheckPoint[] = draft.memory.fullPromotion ? [] : ['ConfirmStep'];
  const { draft: checked, passed } = applyChecksInTurn(draft, situation, hooks);
  if (!passed) return checked;
  const next = { ...checked, memory: nextStep(checked.memory, situation) };
  return modeOf(next.memory) === 'stepping' ? enter(next, situation) : next;
};

/**
 * Watches the rollout of the previous version while the dry run of the requested version is pending or refused. Checks and the
 * deadline can still pause or abort that rollout. No step begins or ends.
 */
export const standing = (draft: Draft, situation: RolloutSituation): Draft => {
  const checked = isPaused(draft.memory) ? draft : applyRolloutChecks(draft, situation, 'Rollback');
  const { memory } = checked;
  if (modeOf(memory) !== 'stepping' || memory.stepStartedAt === undefined) return checked;
  if (memory.stepReadyAt === undefined) return { ...checked, memory: awaitPods(memory, situation) };
  return watchStep(checked, situation).draft;
};

/** Decides whether a rollout in steps starts or ends a step, pauses, is promoted, or aborts. */
export const stepping = (draft: Draft, situation: RolloutSituation): Draft => {
  const checked = isPaused(draft.memory) ? draft : applyRolloutChecks(draft, situation, 'Rollback');
  const { memory } = checked;
  if (modeOf(memory) !== 'stepping') return checked;
  if (memory.stepStartedAt === undefined) return enter(checked, situation);
  if (memory.stepReadyAt === undefined) return { ...checked, memory: approach(memory, situation) };
  return stay(checked, situation);
};
