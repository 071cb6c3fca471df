import type { AnalysisRecord } from '#constructs/rollout/engine/checks.ts';
import type { RolloutChild } from '#constructs/rollout/engine/pods/child.ts';
import { modeOf } from '#constructs/rollout/engine/state/mode.ts';
import { foremostPause, isPaused } from '#constructs/rollout/engine/state/pauses.ts';
import { liveChildren } from '#constructs/rollout/engine/state/situation.ts';
import type { DesiredCondition } from '#lib/desired/result/desired.ts';
import type { State } from '#lib/desired/result/state.ts';
import { containerFailureConditions } from '#lib/workload/container-failure.ts';
import type { View } from './view.ts';
import { isAvailable, isRolloutComplete } from './words.ts';

interface Truth {
  readonly holds: boolean | undefined;
  readonly reason: string;
  readonly message?: string;
}

const condition = (type: string, { holds, reason, message = '' }: Truth): DesiredCondition => ({
  type,
  status: holds === undefined ? 'Unknown' : holds ? 'True' : 'False',
  reason,
  message,
});

const available = (view: View): DesiredCondition =>
  isAvailable(view)
    ? condition('Available', { holds: true, reason: 'MinimumReplicasAvailable' })
    : condition('Available', { holds: false, reason: 'MinimumReplicasUnavailable' });

/**
 * Whether a rollout progresses; `undefined` while it is paused. A finished rollout counts as progressing, as for Deployments.
 */
const isProgressing = ({ phase, isOverdue }: View): boolean | undefined => {
  if (phase === 'Paused') return undefined;
  return !isOverdue && !['Degraded', 'RollingBack', 'InvalidSpec', 'Conflict'].includes(phase);
};

const progressingCondition = (view: View, { reason, message }: State): DesiredCondition => {
  const isAborted = modeOf(view.memory) === 'aborted';
  return condition('Progressing', {
    holds: isProgressing(view),
    reason: isAborted && view.phase === 'RollingBack' ? 'RolloutAborted' : reason,
    message,
  });
};

const pausedCondition = ({ memory }: View): DesiredCondition => {
  const reasons = (memory.pauseConditions ?? []).map(({ reason }) => reason).toSorted();
  return isPaused(memory)
    ? condition('Paused', { holds: true, reason: foremostPause(memory) ?? 'Paused', message: reasons.join(', ') })
    : condition('Paused', { holds: false, reason: 'NotPaused' });
};

const failureOf = ({ object }: RolloutChild) =>
  object.status?.conditions?.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True');

const podFailure = (children: readonly RolloutChild[]): Truth | undefined => {
  const failing = children.filter((child) => failureOf(child) !== undefined);
  const [first] = failing;
  if (first === undefined) return undefined;
  const isQuota = /exceeded quota|failed quota|insufficient quota/.test(failureOf(first)?.message ?? '');
  const names = failing.map(({ name }) => name).join(', ');
  const what = isQuota ? 'a ResourceQuota is used up: raise it, or ask for less' : 'its events give the reason';
  return {
    holds: true,
    reason: isQuota ? 'QuotaExceeded' : 'FailedCreate',
    message: `pods of ${names} cannot be created: ${what}`,
  };
};

const replicaFailure = ({ situation }: View): DesiredCondition => {
  const [refusal] = situation.refused;
  const refused =
    refusal === undefined
      ? undefined
      : { holds: true, reason: refusal.reason, message: `cannot ${refusal.verb} ${refusal.kind} ${refusal.name}` };
  const truth = refused ?? podFailure(liveChildren(situation)) ?? { holds: false, reason: 'NoFailure' };
  return condition('ReplicaFailure', truth);
};

const analysisCondition = ({ memory }: View): readonly DesiredCondition[] => {
  const { analysis = [], currentStepIndex = 0, canaryHash } = memory;
  const current = analysis.filter(({ step, revision }) => step === currentStepIndex && revision === canaryHash);
  if (current.length === 0) return [];
  const has = (wanted: AnalysisRecord['phase']): boolean => current.some(({ phase }) => phase === wanted);
  const isBad = has('Failed') || has('Error');
  const isDone = current.every(({ phase }) => phase === 'Passed');
  const open = has('Inconclusive') ? 'AnalysisInconclusive' : 'AnalysisRunning';
  const reason = isBad ? 'AnalysisFailed' : isDone ? 'AnalysisPassed' : open;
  return [condition('AnalysisSucceeded', { holds: isBad ? false : isDone ? true : undefined, reason })];
};

/** The conditions of a rollout, in addition to the conditions that every kind has. */
export const rolloutConditionsOf = (view: View, state: State): DesiredCondition[] => {
  const { phase, obstacle } = view;
  const complete = isRolloutComplete(view);
  const healthy = complete && state.state === 'ready';
  return [
    available(view),
    progressingCondition(view, state),
    condition('Completed', { holds: complete, reason: complete ? 'NewVersionAvailable' : phase }),
    pausedCondition(view),
    condition('Healthy', { holds: healthy, reason: healthy ? 'NewVersionAvailable' : state.reason }),
    condition('InvalidSpec', {
      holds: obstacle !== undefined,
      reason: obstacle?.reason ?? 'SpecValid',
      message: obstacle?.message ?? '',
    }),
    replicaFailure(view),
    ...(view.held === undefined ? [] : [view.held.condition]),
    ...analysisCondition(view),
    ...containerFailureConditions(view.failure),
  ];
};
