import { NOTICE } from '#constructs/rollout/engine/checks.ts';
import type { RolloutMemory, RolloutStatus } from '#constructs/rollout/engine/state/memory.ts';
import { forgetMembers } from '#constructs/rollout/engine/state/memory.ts';
import { modeOf } from '#constructs/rollout/engine/state/mode.ts';
import { type RolloutSituation, versionOf } from '#constructs/rollout/engine/state/situation.ts';
import { MAX_HISTORY } from '#constructs/rollout/engine/state/status-parts.ts';
import { stepsHashOf } from '#constructs/rollout/engine/state/steps.ts';

type Outcome = NonNullable<RolloutStatus['history']>[number]['outcome'];

const ofStep = ['stepStartedAt', 'stepReadyAt', 'sleepUntil', 'sleepRemainingSeconds', 'belowTargetSince'] as const;

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

/** Removes the times and the remaining sleep of the current step from the stored state. */
export const leaveStep = (memory: RolloutMemory): RolloutMemory => forgetMembers(memory, ...ofStep);

/** Removes the rollout and all versions from the stored state; the history remains. */
export const startingOver = (memory: RolloutMemory): RolloutMemory =>
  forgetMembers(memory, ...ofRollout, 'stableHash', 'canaryHash', 'percent', 'promotedAt');

const recorded = (memory: RolloutMemory, situation: RolloutSituation, outcome: Outcome): RolloutMemory => {
  const { canaryHash: hash = '', startedAt, history = [] } = memory;
  const finishedAt = situation.clock.now();
  const version = versionOf(situation, hash);
  const entry = { version, hash, startedAt: startedAt ?? finishedAt, finishedAt, outcome };
  return { ...memory, history: [...history, entry].slice(-MAX_HISTORY) };
};

/** A rollout that was promoted or aborted is in the history already. */
const ended = (memory: RolloutMemory, situation: RolloutSituation, outcome: Outcome): RolloutMemory => {
  const mode = modeOf(memory);
  return mode === 'initial' || mode === 'stepping' ? recorded(memory, situation, outcome) : memory;
};

/**
 * Adds an attempt that starts again to the history, unless the attempt began in this pass. The attempt replaces the previous
 * attempt of the same version, so that repeated attempts do not drop the promoted versions from the history.
 */
const attempted = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory => {
  if (memory.startedAt === situation.clock.now()) return memory;
  const next = ended(memory, situation, 'Superseded');
  const { history = [], canaryHash } = memory;
  const last = history.at(-1);
  if (next === memory || last?.hash !== canaryHash || last?.outcome !== 'Superseded') return next;
  return { ...next, history: [...history.slice(0, -1), ...(next.history ?? []).slice(-1)] };
};

/**
 * Removes the results of earlier checks of a revision; waiting messages remain. A rollout starts without old results. If the
 * clock was set back, times could not separate old results from new ones.
 */
export const withoutResults = (analysis: NonNullable<RolloutMemory['analysis']>, hash: string | undefined) =>
  analysis.filter(({ revision, hook }) => revision !== hash || hook === NOTICE);

const unchecked = ({ analysis }: RolloutMemory, hash: string | undefined): Pick<RolloutMemory, 'analysis'> =>
  analysis === undefined ? {} : { analysis: withoutResults(analysis, hash) };

/** Begins the rollout of a version at a given step. */
export const begin = (
  memory: RolloutMemory,
  situation: RolloutSituation,
  { hash, index }: { hash: string; index: number },
): RolloutMemory => {
  const { clock, adapter } = situation;
  return {
    ...forgetMembers(ended(memory, situation, 'Superseded'), ...ofRollout),
    ...unchecked(memory, hash),
    canaryHash: hash,
    currentStepIndex: index,
    percent: 0,
    stepsHash: stepsHashOf(adapter.settings),
    startedAt: clock.now(),
    progressAt: clock.now(),
    highestAvailable: 0,
    desiredReplicas: adapter.settings.replicas,
  };
};

/**
 * Starts the same rollout again from its first step. The history then has the earlier attempt, so that hooks are called again:
 * see {@link CheckRequest.isRepeat}.
 */
export const beginAgain = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory => ({
  ...forgetMembers(
    attempted(memory, situation),
    ...ofStep,
    'abortedAt',
    'abortReason',
    'pauseConditions',
    'fullPromotion',
  ),
  ...unchecked(memory, memory.canaryHash),
  currentStepIndex: 0,
  percent: 0,
  stepsHash: stepsHashOf(situation.adapter.settings),
  startedAt: situation.clock.now(),
  progressAt: situation.clock.now(),
  highestAvailable: 0,
});

/** Returns all pods to the stable version, because the spec requests this version again. */
export const revert = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory => ({
  ...forgetMembers(ended(memory, situation, 'RolledBack'), ...ofRollout),
  percent: 100,
  ...(memory.stableHash === undefined ? {} : { canaryHash: memory.stableHash }),
});

/** Ends the rollout of the new version as aborted. The stable version then gets all pods. */
export const abort = (memory: RolloutMemory, situation: RolloutSituation, reason: string): RolloutMemory => ({
  ...forgetMembers(recorded(memory, situation, 'Aborted'), ...ofStep, 'pauseConditions', 'fullPromotion'),
  abortedAt: situation.clock.now(),
  abortReason: reason,
});

/** Makes the canary the stable version, and adds the rollout to the history. */
export const promote = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory => {
  const { canaryHash } = memory;
  const isFirst = memory.stableHash === undefined;
  return {
    ...forgetMembers(recorded(memory, situation, 'Promoted'), ...ofRollout),
    ...(canaryHash === undefined ? {} : { stableHash: canaryHash }),
    percent: 100,
    promotedAt: situation.clock.now(),
    ...(isFirst ? { progress: { percentage: '100% has been deployed' } } : { postPending: true }),
  };
};
