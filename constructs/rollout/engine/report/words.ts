import { modeOf } from '#constructs/rollout/engine/state/mode.ts';
import { conflictingName, isRefused } from '#constructs/rollout/engine/state/obstacle.ts';
import { isPausedBy, pauses } from '#constructs/rollout/engine/state/pauses.ts';
import { versionOf } from '#constructs/rollout/engine/state/situation.ts';
import { currentStep, stepsOf } from '#constructs/rollout/engine/state/steps.ts';
import { progressing, ready, type State, stalled } from '#lib/desired/result/state.ts';
import { withContainerFailure } from '#lib/workload/container-failure.ts';
import { fencepostsOf } from '#lib/workload/fenceposts.ts';
import { availableIn, type View } from './view.ts';

const canaryOf = ({ memory, situation }: View): string => versionOf(situation, memory.canaryHash ?? '');
const stableOf = ({ memory, situation }: View): string => versionOf(situation, memory.stableHash ?? '');

const stepInWords = ({ memory, situation }: View): string => {
  const { settings } = situation.adapter;
  const { step, index } = currentStep(settings, memory);
  return `step ${index + 1} of ${stepsOf(settings).length} (${step.percent}%)`;
};

const steppingState = (view: View): State => {
  const { memory } = view;
  const subject = `version ${canaryOf(view)}: ${stepInWords(view)}`;
  if (view.isOverdue) return stalled('ProgressDeadlineExceeded', `${subject} has made no progress within its deadline`);
  if (memory.stepStartedAt === undefined) return progressing('StepWaiting', `${subject} waits for its checks`);
  if (memory.stepReadyAt === undefined)
    return progressing('StepScaling', `${subject} waits for its pods to be available`);
  if (isPausedBy(memory, pauses.availability))
    return progressing('StepSleeping', `${subject} is suspended: pods of it are missing`);
  return progressing('StepSleeping', `${subject} is deployed and watched`);
};

const humanHint = 'command promote, skip, abort or retry';

const pausedState = (view: View): State => {
  const { memory } = view;
  if (isPausedBy(memory, pauses.spec)) return progressing('RolloutPaused', 'paused by spec.paused');
  const reasons = (memory.pauseConditions ?? []).map(({ reason }) => reason).toSorted();
  const subject = `version ${canaryOf(view)}: ${stepInWords(view)}`;
  return progressing('RolloutPaused', `${subject} waits for a person (${reasons.join(', ')}): ${humanHint}`);
};

const heldState = ({ situation }: View): State =>
  progressing(
    'StepWaiting',
    `version ${situation.adapter.requested.version} waits for the API server to accept its template`,
  );

const healthyState = (view: View): State => {
  const { replicas } = view.situation.adapter.settings;
  const available = availableIn(view.situation);
  const text = `${Math.min(available, replicas)} of ${replicas} pods of version ${stableOf(view)} are available`;
  return available < replicas ? progressing('PodsNotAvailable', text) : ready('NewVersionAvailable', text);
};

const initialState = (view: View): State => {
  if (isRefused(view.situation)) {
    const text = `version ${canaryOf(view)} cannot run: the API server finds its Deployment invalid, events name the fields; correct the spec`;
    return stalled('InvalidTemplate', text);
  }
  const subject = `version ${canaryOf(view)}: ${availableIn(view.situation)} of ${view.situation.adapter.settings.replicas} pods are available`;
  return view.isOverdue
    ? stalled('ProgressDeadlineExceeded', `${subject}, without progress within the deadline`)
    : progressing('NewDeploymentCreated', subject);
};

const stateByPhase = (view: View): State => {
  const { memory, phase, situation, held } = view;
  if (held !== undefined && phase === 'Progressing') return heldState(view);
  switch (phase) {
    case 'Conflict':
      return stalled('NameConflict', `Deployment ${conflictingName(situation) ?? ''} belongs to another owner`);
    case 'InvalidSpec':
    case 'Paused':
      return pausedState(view);
    case 'Initializing':
      return initialState(view);
    case 'Progressing':
    case 'Promoting':
      return steppingState(view);
    case 'CleaningUp':
      return progressing('NewVersionAvailable', `version ${stableOf(view)} is stable, the old one is being removed`);
    case 'RollingBack':
      return progressing('RollingBack', `going back to version ${stableOf(view)}`);
    case 'Degraded':
      return stalled(
        'RolloutAborted',
        `version ${canaryOf(view)} was given up (${memory.abortReason ?? ''}), version ${stableOf(view)} runs; ask for another version, or command retry`,
      );
    case 'Healthy':
      return healthyState(view);
  }
};

/** The state of a rollout: ready, progressing or stalled, with a reason and a message. */
export const rolloutStateOf = (view: View): State => {
  const { obstacle, failure } = view;
  if (obstacle !== undefined) return stalled(obstacle.reason, obstacle.message);
  const state = stateByPhase(view);
  return state.state === 'ready' ? state : { ...state, message: withContainerFailure(state.message, failure) };
};

/** Whether at least `replicas` minus `maxUnavailable` pods of all versions are available. */
export const isAvailable = ({ situation }: View): boolean => {
  const { replicas } = situation.adapter.settings;
  return availableIn(situation) >= replicas - fencepostsOf(situation.adapter.settings).unavailable;
};

/** Whether the current version is the stable one, no other version has pods, and nothing blocks or pauses the rollout. */
export const isRolloutComplete = ({ memory, phase }: View): boolean =>
  modeOf(memory) === 'steady' && phase === 'Healthy';
