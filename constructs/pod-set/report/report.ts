import type { Counts } from '#constructs/pod-set/look/census.ts';
import type { SeenFailure } from '#constructs/pod-set/look/failures.ts';
import { ceilingOf } from '#constructs/pod-set/move/moves.ts';
import type { FoundPods, PodSetObservation, Update } from '#constructs/pod-set/situation.ts';
import type { DesiredCondition } from '#lib/desired/result/desired.ts';
import { stalled } from '#lib/desired/result/state.ts';
import { type ContainerFailure, containerFailureEvents, containerFailureIn } from '#lib/workload/container-failure.ts';
import { delayAfter } from '#lib/workload/delay.ts';
import { provenTemplate } from '#lib/workload/template-check.ts';
import { podSetConditions } from './conditions.ts';
import { podSetEvents } from './events.ts';
import { progressOf } from './progress.ts';
import { isSetComplete, podSetStateOf, podStatusOf } from './status.ts';

/** The input of {@link podSetReport}. */
export interface ReportInput {
  readonly found: FoundPods;
  readonly update: Update;
  /** The number of consecutive failures that delay the next pod; `undefined` when no pod waits. */
  readonly waitsAfter?: number | undefined;
  readonly lastFailure?: SeenFailure | undefined;
  /** The contradiction between the selector and the template; `undefined` if there is none. */
  readonly problem?: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * The condition TemplateValid. Without a dry run, the condition exists only when a pod of the template does. Without
 * `spec.template`, the condition exists only during an update.
 */
const templateCondition = (
  { resource }: PodSetObservation,
  { found, update }: ReportInput,
): DesiredCondition | undefined => {
  if (update.check) return update.check.condition;
  const isTold = update.isWanted || resource.spec.template !== undefined;
  return isTold && found.counts.updated > 0 ? provenTemplate : undefined;
};

const standingOf = ({ found: { settings, counts }, update }: ReportInput) => {
  const isShrinking = counts.active > ceilingOf({ settings, counts, isRolling: update.isRolling });
  return { settings, counts, isShrinking, isUpdating: update.isWanted };
};

const progressIn = ({ resource, clock }: PodSetObservation, { found }: ReportInput, isDone: boolean) => {
  const { settings, before, counts, revisions } = found;
  if (isDone || settings.isPaused) return undefined;
  const { generation } = resource.metadata;
  const { progressDeadlineSeconds: deadlineSeconds } = settings;
  return progressOf({ before, counts, generation, revision: revisions.update.hash, deadlineSeconds, clock });
};

const statusCounts = ({ available, updated, terminating }: Counts) => ({
  availableReplicas: available,
  updatedReplicas: updated,
  terminatingReplicas: terminating,
});

const failureIn = (
  { resource, clock }: PodSetObservation,
  { found }: ReportInput,
  isDone: boolean,
): ContainerFailure | undefined =>
  isDone
    ? undefined
    : containerFailureIn(
        found.census.active.map(({ pod }) => pod),
        { conditions: resource.status?.conditions, clock },
      );

/** Computes the status, the state, the conditions and the events of a PodSet. */
export const podSetReport = (seen: PodSetObservation, input: ReportInput) => {
  const { found, update, waitsAfter, lastFailure, problem, labels } = input;
  const { settings, census, counts, revisions, before } = found;
  const standing = standingOf(input);
  const isDone = isSetComplete(standing);
  const progress = progressIn(seen, input, isDone);
  const isOverdue = progress?.isOverdue ?? false;
  const { current: currentRevision, collisionCount } = revisions;
  const updateRevision = revisions.update.hash;
  const invalid = update.check?.verdict === 'invalid' ? update.check.condition.message : undefined;
  const delay = waitsAfter === undefined ? undefined : delayAfter(waitsAfter, settings.failedPods);
  const failure = failureIn(seen, input, isDone);
  const conditions = podSetConditions({
    settings,
    counts,
    isComplete: isDone,
    isOverdue,
    revision: updateRevision,
    refused: seen.refused,
    failuresInARow: waitsAfter,
    rivals: found.rivals,
    template: templateCondition(seen, input),
    failure,
  });
  return {
    status: {
      ...podStatusOf({ active: census.active, counts }, labels),
      ...statusCounts(counts),
      currentRevision,
      updateRevision,
      ...(collisionCount > 0 && { collisionCount }),
      ...(lastFailure && { lastFailure }),
      ...(progress && { progressingSince: progress.since }),
    },
    state:
      problem === undefined
        ? podSetStateOf({ ...standing, invalid, isOverdue, failure })
        : stalled('InvalidSpec', problem),
    conditions,
    events: [
      ...podSetEvents({ before, currentRevision, updateRevision, isRolling: update.isRolling, delay, conditions }),
      ...containerFailureEvents(failure, before),
    ],
  };
};
