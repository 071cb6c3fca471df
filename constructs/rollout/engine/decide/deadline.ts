import type { RolloutMemory } from '#constructs/rollout/engine/state/memory.ts';
import { modeOf, sidesOf } from '#constructs/rollout/engine/state/mode.ts';
import { isPaused, pauseRollout, pauses } from '#constructs/rollout/engine/state/pauses.ts';
import { childWith, type RolloutSituation } from '#constructs/rollout/engine/state/situation.ts';
import { after, type Clock, type Instant } from '#lib/desired/clock.ts';
import { abort } from './transitions.ts';

const availableNow = (memory: RolloutMemory, situation: RolloutSituation): number => {
  const { canary } = sidesOf(situation.adapter.settings, memory);
  const { available = 0, replicas = 0 } = childWith(situation, canary?.hash) ?? {};
  return Math.min(available, replicas);
};

/**
 * Returns `since`, or the current time if `since` is absent or in the future. A time is in the future after the clock was set
 * back.
 */
export const pastOf = (since: Instant | undefined, clock: Clock): Instant =>
  since !== undefined && clock.reached(since) ? since : clock.now();

/**
 * Records progress: a new maximum of available pods of the new version. Pods that become available again after a loss are not
 * progress.
 */
export const noteProgress = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory => {
  const { highestAvailable = 0, progressAt } = memory;
  const available = availableNow(memory, situation);
  if (available > highestAvailable) {
    return { ...memory, highestAvailable: available, progressAt: situation.clock.now() };
  }
  return progressAt === undefined ? memory : { ...memory, progressAt: pastOf(progressAt, situation.clock) };
};

/** After a change of `replicas`, starts the progress deadline again. The step and its sleep do not change. */
export const followReplicas = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory => {
  const { replicas } = situation.adapter.settings;
  if (memory.desiredReplicas === replicas) return memory;
  const highest = Math.min(memory.highestAvailable ?? 0, availableNow(memory, situation));
  const isUnderWay = memory.progressAt !== undefined;
  return {
    ...memory,
    desiredReplicas: replicas,
    ...(isUnderWay ? { highestAvailable: highest, progressAt: situation.clock.now() } : {}),
  };
};

/** The instant from which the progress deadline counts; `undefined` when the rollout does not wait for pods. */
const waitsSince = (memory: RolloutMemory): string | undefined => {
  const mode = modeOf(memory);
  if ((mode !== 'initial' && mode !== 'stepping') || isPausedForGood(memory)) return undefined;
  if (memory.stepReadyAt !== undefined) return memory.belowTargetSince;
  return mode === 'initial' || memory.stepStartedAt !== undefined ? memory.progressAt : undefined;
};

/**
 * Whether a pause also stops the deadline. The pause because of missing pods (`AvailabilityLost`) does not stop the deadline,
 * because the rollout still waits for these pods.
 */
const isPausedForGood = (memory: RolloutMemory): boolean =>
  isPaused(memory) && !(memory.pauseConditions ?? []).every(({ reason }) => reason === pauses.availability);

/** Whether a rollout has waited for pods for `progressDeadlineSeconds` or longer. */
export const isOverdue = (memory: RolloutMemory, { clock, adapter }: RolloutSituation): boolean => {
  const since = waitsSince(memory);
  return since !== undefined && clock.reached(after(since, adapter.settings.progressDeadlineSeconds));
};

/**
 * Aborts or pauses a rollout that exceeded its deadline, as `progressDeadlineAction` requests. The rollout of a first version
 * continues, because it has no version to return to.
 */
export const applyDeadline = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory => {
  const { progressDeadlineAction: action } = situation.adapter.settings;
  if (modeOf(memory) !== 'stepping' || action === 'Report' || !isOverdue(memory, situation)) return memory;
  return action === 'Abort'
    ? abort(memory, situation, pauses.deadline)
    : pauseRollout(memory, situation, pauses.deadline);
};
