import { after } from '#lib/desired/clock.ts';
import { forget, type Memory } from './memory.ts';
import { modeOf } from './mode.ts';
import { isPausedBy, pause, pauses, resume } from './pauses.ts';
import { childWith, liveChildren, revisionWith, type Situation } from './situation.ts';
import { currentStep, indexFrom, stepBelow, stepsHashOf, stepsOf } from './steps.ts';
import { begin, beginAgain, leaveStep, revert } from './transitions.ts';

/**
 * A status that was lost (a restored backup) is made up for: the largest of the other versions was the stable one, or
 * else the asked version would take its place without any steps.
 */
export const reconstruct = (memory: Memory, situation: Situation): Memory => {
  if (memory.canaryHash !== undefined) return memory;
  const { asked } = situation.face;
  const others = liveChildren(situation).filter(
    ({ hash }) => hash !== asked.hash && revisionWith(situation, hash) !== undefined,
  );
  const [largest] = others.toSorted((a, b) => b.replicas - a.replicas);
  return largest === undefined ? memory : { ...memory, stableHash: largest.hash, canaryHash: largest.hash };
};

/** True when a version was the stable one so recently that it is trusted: of the snapshots before the stable one, the last few. */
const isInWindow = ({ face }: Situation, { stableHash }: Memory, hash: string): boolean => {
  const stable = face.known.findIndex((revision) => revision.hash === stableHash);
  const older = face.known.slice(0, Math.max(0, stable));
  const { rollbackWindow } = face.settings;
  return rollbackWindow > 0 && older.slice(-rollbackWindow).some((revision) => revision.hash === hash);
};

/** Back to the stable version by the steps that lie below the present share. */
const stepBack = (memory: Memory, situation: Situation): Memory => {
  const { canaryHash = '', percent = 0 } = memory;
  const below = stepBelow(situation.face.settings, percent)?.percent ?? 0;
  return { ...revert(memory, situation), rollbackFrom: canaryHash, percent: below };
};

const goBack = (memory: Memory, situation: Situation): Memory =>
  situation.face.settings.rollbackInSteps && modeOf(memory) === 'stepping' && (memory.percent ?? 0) > 0
    ? stepBack(memory, situation)
    : revert(memory, situation);

/** Takes up the version that spec asks for. While `spec.paused` is set nothing new is. */
export const followAsked = (memory: Memory, situation: Situation): Memory => {
  const { hash } = situation.face.asked;
  if (hash === memory.canaryHash || isPausedBy(memory, pauses.spec)) return memory;
  if (hash === memory.stableHash) return goBack(memory, situation);
  const trusted = memory.stableHash !== undefined && isInWindow(situation, memory, hash);
  const index = trusted ? stepsOf(situation.face.settings).length - 1 : 0;
  return begin(memory, situation, { hash, index });
};

/** The step has the share that is reached already: its sleep counts from when that was. */
const adjustSleep = (memory: Memory, situation: Situation): Memory => {
  const { step } = currentStep(situation.face.settings, memory);
  const rest = forget(resume(memory, [pauses.step]), 'sleepUntil', 'sleepRemainingSeconds');
  if (rest.stepReadyAt === undefined) return rest;
  if (step.pause) return pause(rest, situation, pauses.step);
  return { ...rest, sleepUntil: after(rest.stepReadyAt, step.sleep ?? 0) };
};

/** Steps that were edited: the first that does not lower the share counts from now on. */
export const followSteps = (memory: Memory, situation: Situation): Memory => {
  const { settings } = situation.face;
  const stepsHash = stepsHashOf(settings);
  if (modeOf(memory) !== 'stepping' || memory.stepsHash === stepsHash) return memory;
  const { percent = 0 } = memory;
  const index = indexFrom(settings, percent);
  const edited = { ...memory, stepsHash, currentStepIndex: index };
  const isSame = memory.stepStartedAt !== undefined && stepsOf(settings)[index]?.percent === percent;
  return isSame ? adjustSleep(edited, situation) : resume(leaveStep(edited), [pauses.step]);
};

/** A canary that somebody deleted starts again at the first step. */
export const heedLoss = (memory: Memory, situation: Situation): Memory => {
  const { deployments = [] } = situation.stored;
  const had = deployments.some(({ hash }) => hash === memory.canaryHash);
  const isLost = had && childWith(situation, memory.canaryHash) === undefined;
  return modeOf(memory) === 'stepping' && isLost ? beginAgain(memory, situation) : memory;
};

/** Sizes that are not what we gave: somebody else's. They are written down before they are set right. */
export const noteDrift = (memory: Memory, situation: Situation): Memory => {
  const { driftedDeployments: _, ...rest } = memory;
  const drifted = liveChildren(situation)
    .filter(({ given, replicas }) => given !== undefined && given !== replicas)
    .map(({ name }) => name)
    .toSorted();
  return drifted.length === 0 ? rest : { ...rest, driftedDeployments: drifted };
};
