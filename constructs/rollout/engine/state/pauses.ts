import { after, type Clock, type Instant, secondsBetween } from '#lib/desired/clock.ts';
import { forgetMembers, type RolloutMemory } from './memory.ts';
import type { RolloutSituation } from './situation.ts';
import { sleepOf } from './steps.ts';

/** The reasons for which the engine pauses a rollout. Checks have their own reasons. */
export const pauses = {
  spec: 'Paused',
  /** The current step waits for a person. */
  step: 'StepPause',
  deadline: 'ProgressDeadlineExceeded',
  /** During a sleep, too few pods were available for too long. */
  availability: 'AvailabilityLost',
} as const;

/** Pauses with these reasons end without a command, when their cause ends. */
const endWithoutCommand: ReadonlySet<string> = new Set([pauses.spec, pauses.availability]);

const pausesOf = ({ pauseConditions = [] }: RolloutMemory) => pauseConditions;

/** Whether a rollout is paused for this reason. */
export const isPausedBy = (memory: RolloutMemory, reason: string): boolean =>
  pausesOf(memory).some((pause) => pause.reason === reason);

/** Whether a rollout is paused. */
export const isPaused = (memory: RolloutMemory): boolean => pausesOf(memory).length > 0;

/** The reasons of the current pauses that wait for a person: for a command, or for a change of the spec. */
export const pausesForCommand = (memory: RolloutMemory): readonly string[] =>
  pausesOf(memory)
    .map(({ reason }) => reason)
    .filter((reason) => !endWithoutCommand.has(reason));

/**
 * The reason to report where only one fits; `undefined` if the rollout is not paused. A pause that waits for a command has
 * precedence. `AvailabilityLost` comes last, because alerts and GitOps tools interpret every other reason as a wait for a person.
 */
export const foremostPause = (memory: RolloutMemory): string | undefined => {
  const [command] = pausesForCommand(memory).toSorted();
  if (command !== undefined) return command;
  return isPausedBy(memory, pauses.spec) ? pauses.spec : pausesOf(memory)[0]?.reason;
};

/** Adds a reason to the pauses of a rollout, unless the rollout is paused for this reason already. */
export const pauseRollout = (
  memory: RolloutMemory,
  { clock }: Pick<RolloutSituation, 'clock'>,
  reason: string,
): RolloutMemory =>
  isPausedBy(memory, reason)
    ? memory
    : { ...memory, pauseConditions: [...pausesOf(memory), { reason, startTime: clock.now() }] };

/** Ends the pauses with these reasons. Pauses with other reasons remain. */
export const resume = (memory: RolloutMemory, reasons: readonly string[]): RolloutMemory => {
  const left = pausesOf(memory).filter(({ reason }) => !reasons.includes(reason));
  return left.length === 0 ? forgetMembers(memory, 'pauseConditions') : { ...memory, pauseConditions: left };
};

/** Pauses or resumes a rollout as `spec.paused` requests. After the pause, the progress deadline starts again. */
export const followPaused = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory => {
  const { settings } = situation.adapter;
  if (settings.paused) return pauseRollout(memory, situation, pauses.spec);
  if (!isPausedBy(memory, pauses.spec)) return memory;
  const { progressAt, ...rest } = resume(memory, [pauses.spec]);
  return progressAt === undefined ? rest : { ...rest, progressAt: situation.clock.now() };
};

/** Whole seconds from now until an instant, rounded up so that no sleep becomes shorter; at least 0 and at most `atMost`. */
const secondsUntil = (at: Instant, { clock, atMost }: { readonly clock: Clock; readonly atMost: number }) => {
  const seconds = Math.ceil(secondsBetween(clock.now(), at));
  return Math.min(Math.max(seconds, 0), atMost);
};

const sleepLeft = (sleepUntil: Instant, memory: RolloutMemory, { clock, adapter }: RolloutSituation): number =>
  secondsUntil(sleepUntil, { clock, atMost: sleepOf(adapter.settings, memory) });

const freeze = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory => {
  const { sleepUntil } = memory;
  if (sleepUntil === undefined) return memory;
  return { ...forgetMembers(memory, 'sleepUntil'), sleepRemainingSeconds: sleepLeft(sleepUntil, memory, situation) };
};

const thaw = (memory: RolloutMemory, { clock }: RolloutSituation): RolloutMemory => {
  const { sleepRemainingSeconds } = memory;
  if (sleepRemainingSeconds === undefined) return memory;
  return { ...forgetMembers(memory, 'sleepRemainingSeconds'), sleepUntil: after(clock.now(), sleepRemainingSeconds) };
};

/** Suspends the sleep during a pause. After the pause, the sleep continues for its remaining time, in whole seconds. */
export const freezeOrThaw = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory =>
  isPaused(memory) ? freeze(memory, situation) : thaw(memory, situation);

/**
 * Corrects the times of a sleep if the clock was set back, because the sleep would last too long otherwise. The remaining time,
 * at most one whole sleep, starts again now.
 */
export const correctSleepTimes = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory => {
  const { stepReadyAt, sleepUntil } = memory;
  const { clock } = situation;
  if (stepReadyAt === undefined || clock.reached(stepReadyAt)) return memory;
  const now = clock.now();
  const left = sleepUntil === undefined ? undefined : sleepLeft(sleepUntil, memory, situation);
  return { ...memory, stepReadyAt: now, ...(left === undefined ? {} : { sleepUntil: after(now, left) }) };
};
