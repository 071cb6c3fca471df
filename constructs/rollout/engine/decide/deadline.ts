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
 * Returns the stored start of a state, or the current time if the state is new. Also returns the current time if the stored start
 * is in the future because the clock was set back.
 */
export const pastOf = (since: Instant | undefined, clock: Clock): Instant =>
  since !== undefined && clock.reached(since) ? since : clock.now();

/** Records progress: a new maximum of available pods. Pods that become available again after a loss are not progress. */
export const noteProgress = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory => {
  const { highestAvailable = 0, progressAt } = memory;
  const available = availableNow(memory, situation);
  if (available > highestAvailable) {
    return { ...memory, highestAvailable: available, progressAt: situation.clock.now() };
  }
  return progressAt === undefined ? memory : { ...memory, progressAt: pastOf(progressAt, situation.clock) };
};

/** After a change of `replicas`, starts the deadline again. The step and its sleep do not change. */
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

/** The instant since which a rollout has been waiting for pods; `undefined` when it does not wait. */
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

/** Whether a rollout has waited for pods for longer than its deadline allows. */
export const isOverdue = (memory: RolloutMemory, { clock, adapter }: RolloutSituation): boolean => {
  const since = waitsSince(memory);
  return since !== undefined && clock.reached(after(since, adapter.settings.progressDeadlineSeconds));
};

/**
 * Aborts or pauses a rollout that exceeded its deadline. The rollout of a first version continues, because it cannot be rolled
 * back.
 */
export const heedDeadline = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory => {
  const { progressDeadlineAction: action } = situation.adapter.settings;
  if (modeOf(memory) !== 'stepping' || action === 'Report' || !isOverdue(memory, situation)) return memory;
  return action === 'Abort'
    ? abort(memory, situation, pauses.deadline)
    : pauseRollout(memory, situation, pauses.deadline);
};
