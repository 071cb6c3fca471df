import type { Counts } from '#constructs/pod-set/look/census.ts';
import { after, type Clock, type Instant } from '#lib/desired/clock.ts';
import type { Condition } from '#lib/desired/result/conditions.ts';

/** The fields of the last status that progress is measured by. */
export interface ProgressBefore {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly updatedReplicas?: number;
  readonly updateRevision?: string;
  readonly progressingSince?: string;
  readonly conditions?: readonly Condition[];
}

/** The input for progress. */
export interface ProgressInput {
  readonly before: ProgressBefore;
  readonly counts: Counts;
  readonly generation: number;
  readonly revision: string;
  readonly deadlineSeconds: number;
  readonly clock: Clock;
}

/** The time of the last progress, and whether it is too long ago. */
export interface Progress {
  readonly since: Instant;
  readonly isOverdue: boolean;
}

/** Whether there is progress: more new, ready or available pods, fewer old pods, or a changed spec. */
const hasMoved = ({ before, counts, generation, revision }: ProgressInput): boolean => {
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0, updatedReplicas = 0 } = before;
  return (
    before.observedGeneration !== generation ||
    before.updateRevision !== revision ||
    counts.updated > updatedReplicas ||
    counts.active - counts.updated < replicas - updatedReplicas ||
    counts.ready > readyReplicas ||
    counts.available > availableReplicas
  );
};

/** The reason of the conditions Progressing and Stalled when there was no progress for too long. */
export const OVERDUE = 'ProgressDeadlineExceeded';

const wasOverdue = ({ conditions = [] }: ProgressBefore): boolean =>
  conditions.some(({ type, reason }) => type === 'Progressing' && reason === OVERDUE);

/**
 * The time without progress of a set that has not reached its spec. The time is stored together with the counts by which progress
 * is measured.
 *
 * A stalled set stays stalled until there is progress, even if the clock is set back. Otherwise, two operators with different
 * clocks would contradict each other permanently. A start in the future comes from another clock, and is replaced by the
 * current time.
 */
export const progressOf = (input: ProgressInput): Progress => {
  const { before, deadlineSeconds, clock } = input;
  const since = before.progressingSince;
  if (since === undefined || hasMoved(input)) return { since: clock.now(), isOverdue: false };
  if (wasOverdue(before)) return { since, isOverdue: true };
  if (!clock.reached(since)) return { since: clock.now(), isOverdue: false };
  return { since, isOverdue: clock.reached(after(since, deadlineSeconds)) };
};
