import type { Obstacle } from '#constructs/rollout/engine/adapter.ts';
import { isTemplateHeld } from '#constructs/rollout/engine/decide/admission.ts';
import { isOverdue } from '#constructs/rollout/engine/decide/deadline.ts';
import type { RolloutChild } from '#constructs/rollout/engine/pods/child.ts';
import { sumOf } from '#constructs/rollout/engine/pods/scaling.ts';
import type { RolloutMemory, RolloutPhase, RolloutStatus } from '#constructs/rollout/engine/state/memory.ts';
import { hasSizes, modeOf, sidesOf } from '#constructs/rollout/engine/state/mode.ts';
import { conflictingName } from '#constructs/rollout/engine/state/obstacle.ts';
import { isPausedBy, pauses, pausesForCommand } from '#constructs/rollout/engine/state/pauses.ts';
import { liveChildren, type RolloutSituation, versionOf } from '#constructs/rollout/engine/state/situation.ts';
import { MAX_DEPLOYMENTS } from '#constructs/rollout/engine/state/status-parts.ts';
import { currentStep, stepsOf } from '#constructs/rollout/engine/state/steps.ts';
import { type ContainerFailure, containerFailureIn } from '#lib/workload/container-failure.ts';
import type { TemplateCheck } from '#lib/workload/template-check.ts';

/** The state of a rollout, from which its status, its message and its conditions are made. */
export interface View {
  readonly memory: RolloutMemory;
  readonly situation: RolloutSituation;
  readonly obstacle?: Obstacle;
  readonly phase: RolloutPhase;
  readonly isOverdue: boolean;
  /** The dry run of the requested version. Present only while the result is unknown or a refusal. */
  readonly held?: TemplateCheck;
  /** A container that cannot run. Present only if a child has too few available pods. */
  readonly failure?: ContainerFailure;
}

interface Hindrance {
  readonly obstacle: Obstacle | undefined;
  readonly admission: TemplateCheck | undefined;
}

/** Whether versions other than the stable one have pods. Without `retainOldSeconds`, their empty Deployments count, too. */
const hasOthers = (memory: RolloutMemory, situation: RolloutSituation): boolean => {
  const keepsOld = situation.adapter.settings.retainOldSeconds > 0;
  return liveChildren(situation).some(
    ({ hash, replicas, pods }) => hash !== memory.stableHash && (!keepsOld || replicas > 0 || pods > 0),
  );
};

const steadyPhase = (memory: RolloutMemory, situation: RolloutSituation): RolloutPhase => {
  if (!hasOthers(memory, situation)) return 'Healthy';
  return memory.history?.at(-1)?.outcome === 'Promoted' ? 'CleaningUp' : 'RollingBack';
};

const phaseBy = (memory: RolloutMemory, situation: RolloutSituation): RolloutPhase => {
  switch (modeOf(memory)) {
    case 'idle':
    case 'initial':
      return 'Initializing';
    case 'stepping':
      return memory.percent === 100 ? 'Promoting' : 'Progressing';
    case 'steppingBack':
      return 'RollingBack';
    case 'aborted':
      return hasSizes(situation, sidesOf(situation.adapter.settings, memory)) ? 'Degraded' : 'RollingBack';
    case 'steady':
      return steadyPhase(memory, situation);
  }
};

const phaseOf = (
  memory: RolloutMemory,
  situation: RolloutSituation,
  { obstacle, admission }: Hindrance,
): RolloutPhase => {
  if (obstacle !== undefined) return obstacle.reason === 'Conflict' ? 'Conflict' : 'InvalidSpec';
  if (conflictingName(situation) !== undefined) return 'Conflict';
  if (isTemplateHeld(admission)) return 'Progressing';
  const stands =
    isPausedBy(memory, pauses.spec) || (modeOf(memory) === 'stepping' && pausesForCommand(memory).length > 0);
  return stands ? 'Paused' : phaseBy(memory, situation);
};

const failureIn = ({ canaryHash }: RolloutMemory, situation: RolloutSituation): ContainerFailure | undefined => {
  const missing = liveChildren(situation).filter(({ available, replicas }) => available < replicas);
  const inOrder = missing.toSorted((a, b) => Number(b.hash === canaryHash) - Number(a.hash === canaryHash));
  const { stored, clock } = situation;
  const pods = inOrder.flatMap(({ hash }) => situation.podsOf(hash));
  return containerFailureIn(pods, { conditions: stored.conditions, clock });
};

/** Computes the state of a rollout, for its status, its message and its conditions. */
export const rolloutViewOf = (memory: RolloutMemory, situation: RolloutSituation, hindrance: Hindrance): View => {
  const failure = failureIn(memory, situation);
  return {
    memory,
    situation,
    ...(hindrance.obstacle === undefined ? {} : { obstacle: hindrance.obstacle }),
    ...(isTemplateHeld(hindrance.admission) ? { held: hindrance.admission } : {}),
    ...(failure && { failure }),
    phase: phaseOf(memory, situation, hindrance),
    isOverdue: hindrance.obstacle === undefined && isOverdue(memory, situation),
  };
};

const roleOf = ({ hash }: RolloutChild, { stableHash, canaryHash }: RolloutMemory): 'Stable' | 'Canary' | 'Other' =>
  hash === stableHash ? 'Stable' : hash === canaryHash ? 'Canary' : 'Other';

const deploymentsOf = (memory: RolloutMemory, situation: RolloutSituation): RolloutStatus['deployments'] =>
  liveChildren(situation)
    .slice(0, MAX_DEPLOYMENTS)
    .map((child) => ({
      name: child.name,
      version: versionOf(situation, child.hash),
      hash: child.hash,
      role: roleOf(child, memory),
      replicas: child.replicas,
      availableReplicas: child.available,
    }));

/** The number of available pods of all versions, without pods that are being removed. */
export const availableIn = (situation: RolloutSituation): number =>
  sumOf(liveChildren(situation), ({ available, replicas }) => Math.min(available, replicas));

const stepOf = (memory: RolloutMemory, { adapter: { settings } }: RolloutSituation): Pick<RolloutStatus, 'step'> =>
  modeOf(memory) === 'stepping'
    ? { step: `${currentStep(settings, memory).index + 1}/${stepsOf(settings).length}` }
    : {};

/** Makes the status of a rollout, without `message`. */
export const rolloutStatusOf = ({ memory, situation, phase }: View): Omit<RolloutStatus, 'message'> => {
  const { stableHash, canaryHash, analysis = [] } = memory;
  const children = liveChildren(situation);
  const updated = children.filter(({ hash }) => hash === canaryHash);
  return {
    ...memory,
    phase,
    ...(stableHash === undefined ? {} : { stableVersion: versionOf(situation, stableHash) }),
    ...(canaryHash === undefined ? {} : { canaryVersion: versionOf(situation, canaryHash) }),
    ...stepOf(memory, situation),
    replicas: sumOf(children, ({ pods }) => pods),
    updatedReplicas: sumOf(updated, ({ pods }) => pods),
    readyReplicas: sumOf(children, ({ ready }) => ready),
    availableReplicas: sumOf(children, ({ available }) => available),
    selector: situation.adapter.selector,
    deployments: deploymentsOf(memory, situation),
    analysis,
  };
};
