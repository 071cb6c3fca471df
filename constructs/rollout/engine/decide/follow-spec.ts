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
import { currentStep, indexFrom, stepBelow, stepsHashOf, stepsOf } from '#constructs/rollout/engine/state/steps.ts';
import { after } from '#lib/desired/clock.ts';
import { begin, beginAgain, leaveStep, revert, startingOver } from './transitions.ts';

/** The stable version is lost, and no other one runs: the requested version is created like a first version. */
export const forgetLost = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory =>
  isLost(memory, situation) && !isRunning(situation) ? startingOver(memory) : memory;

/** The largest of the running versions other than the requested one. */
const largestOf = (children: readonly RolloutChild[], situation: RolloutSituation): RolloutChild | undefined => {
  const { asked } = situation.adapter;
  const others = children.filter(
    ({ hash, replicas }) => hash !== asked.hash && replicas > 0 && revisionWith(situation, hash) !== undefined,
  );
  return others.toSorted((a, b) => b.replicas - a.replicas)[0];
};

/** Whether the requested version is the only one in the stored state: no rollout has been stored yet. */
const knowsNoOther = ({ stableHash, canaryHash }: RolloutMemory, { adapter }: RolloutSituation): boolean =>
  canaryHash === adapter.asked.hash && (stableHash === undefined || stableHash === canaryHash);

/** Whether no version was rolled out before the requested one. */
const mayBeStable = ({ hash }: RolloutChild, { history = [] }: RolloutMemory, { adapter }: RolloutSituation): boolean =>
  history.every((past) => past.hash === adapter.asked.hash || past.hash === hash);

/**
 * Recovers from a lost status (a restored backup): the largest of the other versions was the stable one; without this, the
 * requested version would replace it without any steps. A backup can also bring that version back after the requested one was
 * taken for the first; then the rollout begins again from that version.
 */
export const reconstruct = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory => {
  const children = liveChildren(situation);
  if (memory.canaryHash === undefined) {
    const stable = largestOf(children, situation);
    return stable === undefined ? memory : { ...memory, stableHash: stable.hash, canaryHash: stable.hash };
  }
  if (!knowsNoOther(memory, situation)) return memory;
  // A status that was restored together with its children has the correct state.
  const listed = new Set((situation.stored.deployments ?? []).map(({ hash }) => hash));
  const restored = children.filter(
    (child) => child.restored && !listed.has(child.hash) && mayBeStable(child, memory, situation),
  );
  const stable = largestOf(restored, situation);
  if (stable === undefined) return memory;
  const known = { ...startingOver(memory), stableHash: stable.hash };
  return begin(known, situation, { hash: situation.adapter.asked.hash, index: 0 });
};

/** True when a version was the stable one so recently that it is trusted: of the snapshots before the stable one, the last few. */
const isInWindow = ({ adapter }: RolloutSituation, { stableHash }: RolloutMemory, hash: string): boolean => {
  const stable = adapter.known.findIndex((revision) => revision.hash === stableHash);
  const older = adapter.known.slice(0, Math.max(0, stable));
  const { rollbackWindow } = adapter.settings;
  return rollbackWindow > 0 && older.slice(-rollbackWindow).some((revision) => revision.hash === hash);
};

/** Back to the stable version by the steps that lie below the present share. */
const stepBack = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory => {
  const { canaryHash = '', percent = 0 } = memory;
  const below = stepBelow(situation.adapter.settings, percent)?.percent ?? 0;
  return { ...revert(memory, situation), rollbackFrom: canaryHash, percent: below };
};

const goBack = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory =>
  situation.adapter.settings.rollbackInSteps && modeOf(memory) === 'stepping' && (memory.percent ?? 0) > 0
    ? stepBack(memory, situation)
    : revert(memory, situation);

/** Begins the rollout of the requested version. While `spec.paused` is set, no rollout begins. */
export const followAsked = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory => {
  const { hash } = situation.adapter.asked;
  if (hash === memory.canaryHash || isPausedBy(memory, pauses.spec)) return memory;
  if (hash === memory.stableHash) return goBack(memory, situation);
  const trusted = memory.stableHash !== undefined && isInWindow(situation, memory, hash);
  const index = trusted ? stepsOf(situation.adapter.settings).length - 1 : 0;
  return begin(memory, situation, { hash, index });
};

/** The step has the share that is reached already: its sleep counts from when that was. */
const adjustSleep = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory => {
  const { step } = currentStep(situation.adapter.settings, memory);
  const rest = forgetMembers(resume(memory, [pauses.step]), 'sleepUntil', 'sleepRemainingSeconds');
  if (rest.stepReadyAt === undefined) return rest;
  if (step.pause) return pauseRollout(rest, situation, pauses.step);
  return { ...rest, sleepUntil: after(rest.stepReadyAt, step.sleep ?? 0) };
};

/** Steps that were edited: the first that does not lower the share counts from now on. */
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

/** Restarts a deleted canary at the first step. */
export const heedLoss = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory => {
  const { deployments = [] } = situation.stored;
  const had = deployments.some(({ hash }) => hash === memory.canaryHash);
  const isLost = had && childWith(situation, memory.canaryHash) === undefined;
  return modeOf(memory) === 'stepping' && isLost ? beginAgain(memory, situation) : memory;
};

/** Records sizes set by other managers, before they are corrected. */
export const noteDrift = (memory: RolloutMemory, situation: RolloutSituation): RolloutMemory => {
  const { driftedDeployments: _, ...rest } = memory;
  const drifted = liveChildren(situation)
    .filter(({ given, replicas }) => given !== undefined && given !== replicas)
    .map(({ name }) => name)
    .toSorted();
  return drifted.length === 0 ? rest : { ...rest, driftedDeployments: drifted };
};
