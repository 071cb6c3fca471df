import { NOTICE } from '#constructs/rollout/engine/checks.ts';
import type { Memory, RolloutStatus } from '#constructs/rollout/engine/state/memory.ts';
import { forget } from '#constructs/rollout/engine/state/memory.ts';
import { modeOf } from '#constructs/rollout/engine/state/mode.ts';
import { type Situation, versionOf } from '#constructs/rollout/engine/state/situation.ts';
import { MAX_HISTORY } from '#constructs/rollout/engine/state/status-parts.ts';
import { stepsHashOf } from '#constructs/rollout/engine/state/steps.ts';

type Outcome = NonNullable<RolloutStatus['history']>[number]['outcome'];

/** Everything that belongs to one step. */
const ofStep = ['stepStartedAt', 'stepReadyAt', 'sleepUntil', 'sleepRemainingSeconds', 'belowTargetSince'] as const;

/** Everything that belongs to one rollout. */
const ofRollout = [
  ...ofStep,
  'startedAt',
  'abortedAt',
  'abortReason',
  'rollbackFrom',
  'fullPromotion',
  'highestAvailable',
  'progressAt',
  'pauseConditions',
  'postPending',
] as const;

/** Forgets the step under way. */
export const leaveStep = (memory: Memory): Memory => forget(memory, ...ofStep);

/** Forgets which versions there were. */
export const startingOver = (memory: Memory): Memory =>
  forget(memory, ...ofRollout, 'stableHash', 'canaryHash', 'percent', 'promotedAt');

/** Writes a rollout into the history. */
const recorded = (memory: Memory, situation: Situation, outcome: Outcome): Memory => {
  const { canaryHash: hash = '', startedAt, history = [] } = memory;
  const finishedAt = situation.clock.now();
  const version = versionOf(situation, hash);
  const entry = { version, hash, startedAt: startedAt ?? finishedAt, finishedAt, outcome };
  return { ...memory, history: [...history, entry].slice(-MAX_HISTORY) };
};

/** The rollout under way ends because another version is asked for; what has ended already is not recorded twice. */
const ended = (memory: Memory, situation: Situation, outcome: Outcome): Memory => {
  const mode = modeOf(memory);
  return mode === 'initial' || mode === 'stepping' ? recorded(memory, situation, outcome) : memory;
};

/**
 * Removes the results of an earlier rollout of the same revision. They are removed at the start, because timestamps could not identify
 * them later if the clock was set back. Waiting messages are kept.
 */
export const withoutResults = (analysis: NonNullable<Memory['analysis']>, hash: string | undefined) =>
  analysis.filter(({ revision, hook }) => revision !== hash || hook === NOTICE);

const unchecked = ({ analysis }: Memory, hash: string | undefined): Pick<Memory, 'analysis'> =>
  analysis === undefined ? {} : { analysis: withoutResults(analysis, hash) };

/** Begins the rollout of a version from a step on. */
export const begin = (
  memory: Memory,
  situation: Situation,
  { hash, index }: { hash: string; index: number },
): Memory => {
  const { clock, face } = situation;
  return {
    ...forget(ended(memory, situation, 'Superseded'), ...ofRollout),
    ...unchecked(memory, hash),
    canaryHash: hash,
    currentStepIndex: index,
    percent: 0,
    stepsHash: stepsHashOf(face.settings),
    startedAt: clock.now(),
    progressAt: clock.now(),
    highestAvailable: 0,
    desiredReplicas: face.settings.replicas,
  };
};

/** Starts the same rollout again from its first step. */
export const beginAgain = (memory: Memory, { clock, face }: Situation): Memory => ({
  ...forget(memory, ...ofStep, 'abortedAt', 'abortReason', 'pauseConditions', 'fullPromotion'),
  ...unchecked(memory, memory.canaryHash),
  currentStepIndex: 0,
  percent: 0,
  stepsHash: stepsHashOf(face.settings),
  startedAt: clock.now(),
  progressAt: clock.now(),
  highestAvailable: 0,
});

/** Goes back to the stable version, which spec asks for again: all of it. */
export const revert = (memory: Memory, situation: Situation): Memory => ({
  ...forget(ended(memory, situation, 'RolledBack'), ...ofRollout),
  percent: 100,
  ...(memory.stableHash === undefined ? {} : { canaryHash: memory.stableHash }),
});

/** Gives the version up. */
export const abort = (memory: Memory, situation: Situation, reason: string): Memory => ({
  ...forget(recorded(memory, situation, 'Aborted'), ...ofStep, 'pauseConditions', 'fullPromotion'),
  abortedAt: situation.clock.now(),
  abortReason: reason,
});

/** The version has proved itself: it is the stable one from now on. */
export const promote = (memory: Memory, situation: Situation): Memory => {
  const { canaryHash } = memory;
  const isFirst = memory.stableHash === undefined;
  return {
    ...forget(recorded(memory, situation, 'Promoted'), ...ofRollout),
    ...(canaryHash === undefined ? {} : { stableHash: canaryHash }),
    percent: 100,
    promotedAt: situation.clock.now(),
    ...(isFirst ? { progress: { percentage: '100% has been deployed' } } : { postPending: true }),
  };
};
