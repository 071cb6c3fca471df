import type { RolloutChild } from '#constructs/rollout/engine/pods/child.ts';
import { forgetMembers, type RolloutMemory } from '#constructs/rollout/engine/state/memory.ts';
import { modeOf } from '#constructs/rollout/engine/state/mode.ts';
import { isLost, isRunning } from '#constructs/rollout/engine/state/obstacle.ts';
import { isPausedBy, pauseRollout, pauses, resume } from '#constructs/rollout/engine/state/pauses.ts';
import {
  childWith,
  liveChildren,
  type RolloutSituation,
  revisionWith,
} from '#constructs/rollout/engine/state/situation.ts';
import { MAX_DEPLOYMENTS } from '#constructs/rollout/engine/state/status-parts.ts';
import { currentStep, indexFrom, stepBelow, stepsHashOf, stepsOf } from '#constructs/rollout/engine/state/steps.ts';
import { after } from '#lib/desired/clock.ts';
import { begin, beginAgain, leaveStep, revert, startingOver } from './transitions.ts';

/**
 * If the stable version is lost ({@link isLost}) and no version has pods, removes all versions from the stored state. The
 * requested version then starts as a first version.
 */
export const forgetLost = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory =>
  isLost(memory, situation) && !isRunning(situation) ? startingOver(memory) : memory;

const largestOf = (children: readonly RolloutChild[], situation: RolloutSituation): RolloutChild | undefined => {
  const { requested } = situation.adapter;
  const others = children.filter(
    ({ hash, replicas }) => hash !== requested.hash && replicas > 0 && revisionWith(situation, hash) !== undefined,
  );
  return others.toSorted((a, b) => b.replicas - a.replicas)[0];
};

const knowsNoOther = ({ stableHash, canaryHash }: RolloutMemory, { adapter }: RolloutSituation): boolean =>
  canaryHash === adapter.requested.hash && (stableHash === undefined || stableHash === canaryHash);

/** Whether a child may have the last stable version: the history has no versions except its version and the requested one. */
const mayBeStable = ({ hash }: RolloutChild, { history = [] }: RolloutMemory, { adapter }: RolloutSituation): boolean =>
  history.every((past) => past.hash === adapter.requested.hash || past.hash === hash);

/**
 * Recovers the versions after the status was lost, for example because a backup was restored without it. The version with the
 * most replicas, except the requested one, becomes the stable version. Without this recovery, the requested version would replace
 * that version without steps.
 *
 * A Deployment of the old version can also be restored when the stored state has only the requested version. The rollout of the
 * requested version then begins again from the old version.
 */
export const reconstruct = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory => {
  const children = liveChildren(situation);
  if (memory.canaryHash === undefined) {
    const stable = largestOf(children, situation);
    return stable === undefined ? memory : { ...memory, stableHash: stable.hash, canaryHash: stable.hash };
  }
  if (!knowsNoOther(memory, situation)) return memory;
  // If the status lists a restored child, the status was restored together with the child, and is correct.
  const listed = new Set((situation.stored.deployments ?? []).map(({ hash }) => hash));
  const restored = children.filter(
    (child) => child.restored && !listed.has(child.hash) && mayBeStable(child, memory, situation),
  );
  const stable = largestOf(restored, situation);
  if (stable === undefined) return memory;
  const known = { ...startingOver(memory), stableHash: stable.hash };
  return begin(known, situation, { hash: situation.adapter.requested.hash, index: 0 });
};

/**
 * Whether a version may skip the steps, because it is one of the last `rollbackWindow` known revisions before the stable
 * version.
 */
const isInWindow = ({ adapter }: RolloutSituation, { stableHash }: RolloutMemory, hash: string): boolean => {
  const stable = adapter.known.findIndex((revision) => revision.hash === stableHash);
  const older = adapter.known.slice(0, Math.max(0, stable));
  const { rollbackWindow } = adapter.settings;
  return rollbackWindow > 0 && older.slice(-rollbackWindow).some((revision) => revision.hash === hash);
};

/** Begins a rollback in steps, at the percentage of the last step below the current percentage. */
const stepBack = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory => {
  const { canaryHash = '', percent = 0 } = memory;
  const below = stepBelow(situation.adapter.settings, percent)?.percent ?? 0;
  return { ...revert(memory, situation), rollbackFrom: canaryHash, percent: below };
};

const goBack = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory =>
  situation.adapter.settings.rollbackInSteps && modeOf(memory) === 'stepping' && (memory.percent ?? 0) > 0
    ? stepBack(memory, situation)
    : revert(memory, situation);

/**
 * Begins the rollout of a newly requested version, or the return to the stable version. While `spec.paused` is set, neither
 * begins.
 */
export const followRequested = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory => {
  const { hash } = situation.adapter.requested;
  if (hash === memory.canaryHash || isPausedBy(memory, pauses.spec)) return memory;
  if (hash === memory.stableHash) return goBack(memory, situation);
  const trusted = memory.stableHash !== undefined && isInWindow(situation, memory, hash);
  const index = trusted ? stepsOf(situation.adapter.settings).length - 1 : 0;
  return begin(memory, situation, { hash, index });
};

/**
 * Adapts the sleep to an edited step whose percentage has not changed. The new sleep counts from the time at which the pods of
 * the step became available.
 */
const adjustSleep = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory => {
  const { step } = currentStep(situation.adapter.settings, memory);
  const rest = forgetMembers(resume(memory, [pauses.step]), 'sleepUntil', 'sleepRemainingSeconds');
  if (rest.stepReadyAt === undefined) return rest;
  if (step.pause) return pauseRollout(rest, situation, pauses.step);
  return { ...rest, sleepUntil: after(rest.stepReadyAt, step.sleep ?? 0) };
};

/** After an edit of the steps, continues at the first step with at least the current percentage. */
export const followSteps = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory => {
  const { settings } = situation.adapter;
  const stepsHash = stepsHashOf(settings);
  if (modeOf(memory) !== 'stepping' || memory.stepsHash === stepsHash) return memory;
  const { percent = 0 } = memory;
  const index = indexFrom(settings, percent);
  const edited = { ...memory, stepsHash, currentStepIndex: index };
  const isSame = memory.stepStartedAt !== undefined && stepsOf(settings)[index]?.percent === percent;
  return isSame ? adjustSleep(edited, situation) : resume(leaveStep(edited), [pauses.step]);
};

/** If the Deployment of the new version was deleted during its rollout, starts the rollout again from its first step. */
export const restartAfterLoss = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory => {
  const { deployments = [] } = situation.stored;
  const had = deployments.some(({ hash }) => hash === memory.canaryHash);
  const isLost = had && childWith(situation, memory.canaryHash) === undefined;
  return modeOf(memory) === 'stepping' && isLost ? beginAgain(memory, situation) : memory;
};

/**
 * Records the names of at most `MAX_DEPLOYMENTS` children whose size another client has changed, before the sizes are corrected.
 */
export const noteDrift = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory => {
  const { driftedDeployments: _, ...rest } = memory;
  const drifted = liveChildren(situation)
    .filter(({ given, replicas }) => given !== undefined && given !== replicas)
    .map(({ name }) => name)
    .toSorted()
    .slice(0, MAX_DEPLOYMENTS);
  return drifted.length === 0 ? rest : { ...rest, driftedDeployments: drifted };
};
