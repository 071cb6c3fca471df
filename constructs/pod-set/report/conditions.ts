import type { Counts } from '#constructs/pod-set/look/census.ts';
import { namesOfRivals } from '#constructs/pod-set/look/rivals.ts';
import type { PodSetSettings } from '#constructs/pod-set/settings.ts';
import type { Refusal, RefusalReason } from '#lib/desired/observation.ts';
import type { DesiredCondition } from '#lib/desired/result/desired.ts';
import { type ContainerFailure, containerFailureConditions } from '#lib/workload/container-failure.ts';
import { OVERDUE } from './progress.ts';

/** The input of {@link podSetConditions}. */
export interface ConditionsInput {
  readonly settings: PodSetSettings;
  readonly counts: Counts;
  readonly isComplete: boolean;
  readonly isOverdue: boolean;
  /** The hash of the desired template. */
  readonly revision: string;
  readonly refused: readonly Refusal[];
  /** The number of consecutive failures that delay the next pod; `undefined` when no pod waits. */
  readonly failuresInARow?: number | undefined;
  readonly rivals?: readonly string[];
  readonly template?: DesiredCondition | undefined;
  readonly failure?: ContainerFailure | undefined;
}

const available = ({ settings, counts }: ConditionsInput): DesiredCondition => {
  const isEnough = counts.available >= settings.replicas - settings.maxUnavailable;
  return {
    type: 'Available',
    status: isEnough ? 'True' : 'False',
    reason: isEnough ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
    message: `${counts.available} of ${settings.replicas} pods are available`,
  };
};

const progressingOf = ({ settings, counts, isComplete, isOverdue, revision }: ConditionsInput): DesiredCondition => {
  const type = 'Progressing';
  const done = `${Math.min(counts.updatedAvailable, settings.replicas)} of ${settings.replicas} pods of revision ${revision} are available`;
  if (settings.isPaused) return { type, status: 'Unknown', reason: 'Paused', message: `paused; ${done}` };
  if (isComplete) return { type, status: 'True', reason: 'NewRevisionAvailable', message: done };
  if (!isOverdue) return { type, status: 'True', reason: 'PodSetUpdated', message: done };
  const message = `${done}; no progress within ${settings.progressDeadlineSeconds} s`;
  return { type, status: 'False', reason: OVERDUE, message };
};

/**
 * Reasons and messages for refused creates, the most important first. A create that is refused for another reason has no
 * condition. The message of the API server is only in the event, because the message contains names of pods.
 */
const failures: Partial<Record<RefusalReason, readonly [reason: string, message: string]>> = {
  Invalid: ['InvalidTemplate', 'the API server finds pods of the template invalid'],
  AdmissionDenied: ['AdmissionDenied', 'an admission policy or webhook is against the pods'],
  QuotaExceeded: ['QuotaExceeded', 'a ResourceQuota has no room for more pods'],
  NameConflict: ['NameConflict', 'another object has the name of a pod'],
  Forbidden: ['Forbidden', 'the operator has no right to create pods'],
};

const failure = ([reason, message]: readonly [string, string]): DesiredCondition => ({
  type: 'ReplicaFailure',
  status: 'True',
  reason,
  message,
});

const isAbout = (verb: Refusal['verb']) => (refusal: Refusal) => refusal.kind === 'Pod' && refusal.verb === verb;

const backoffMessage = (count: number): string =>
  `${count} ${count === 1 ? 'pod' : 'pods in a row'} failed; the next one waits`;

const replicaFailure = ({ refused, failuresInARow }: ConditionsInput): DesiredCondition | undefined => {
  const creates = refused.filter(isAbout('create'));
  const worst = Object.entries(failures).find(([reason]) => creates.some((refusal) => refusal.reason === reason));
  if (worst) return failure(worst[1]);
  const isStuck = refused.some((refusal) => isAbout('remove')(refusal) && refusal.reason !== 'Unavailable');
  if (isStuck) return failure(['FailedDelete', 'pods cannot be deleted']);
  return failuresInARow === undefined ? undefined : failure(['FailedPodBackoff', backoffMessage(failuresInARow)]);
};

/**
 * The type of the condition about other controllers of pods that match `spec.selector`. The event of the condition has this
 * reason.
 */
export const OVERLAPPING = 'OverlappingSelector';

const overlapping = ({ rivals = [] }: ConditionsInput): DesiredCondition | undefined =>
  rivals.length === 0
    ? undefined
    : {
        type: OVERLAPPING,
        status: 'True',
        reason: 'PodsOfOthers',
        message:
          `spec.selector means pods of ${namesOfRivals(rivals)} as well, which are left alone; ` +
          'create one of them again with a selector that only matches its own pods',
      };

/**
 * The conditions of a PodSet in addition to Ready, Reconciling and Stalled. A condition about a problem exists only as long as
 * the problem.
 */
export const podSetConditions = (input: ConditionsInput): readonly DesiredCondition[] => {
  const trouble = replicaFailure(input);
  const overlap = overlapping(input);
  return [
    available(input),
    progressingOf(input),
    ...(trouble ? [trouble] : []),
    ...(overlap ? [overlap] : []),
    ...(input.template ? [input.template] : []),
    ...containerFailureConditions(input.failure),
  ];
};
