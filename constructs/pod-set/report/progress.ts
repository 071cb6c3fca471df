import type { Counts } from '#constructs/pod-set/look/census.ts';
import { after, type Clock, type Instant } from '#lib/desired/clock.ts';
import type { Condition } from '#lib/desired/conditions.ts';

/** What the last status said. */
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

/** What progress is told by. */
export interface ProgressInput {
  readonly before: ProgressBefore;
  readonly counts: Counts;
  readonly generation: number;
  readonly revision: string;
  readonly deadlineSeconds: number;
  readonly clock: Clock;
}

/** Since when there has been no progress, and whether that is too long. */
export interface Progress {
  readonly since: Instant;
  readonly isOverdue: boolean;
}

/** More pods that are new, ready or available, or fewer that are old; or somebody asked for something else. */
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

/** Reason of the condition Progressing, and of Stalled, when there was no progress for too long. */
export const OVERDUE = 'ProgressDeadlineExceeded';

const wasOverdue = ({ conditions = [] }: ProgressBefore): boolean =>
  conditions.some(({ type, reason }) => type === 'Progressing' && reason === OVERDUE);

/**
 * How long a set that is not as it should be has been without progress. Written with the counts that it is told by.
 *
 * What was overdue stays so until something moves, whatever the clock says by then: two operators whose clocks differ would
 * contradict each other without end. What began in our future began by another clock, and counts from now.
 */
export const progressOf = (input: ProgressInput): Progress => {
  const { before, deadlineSeconds, clock } = input;
  const since = before.progressingSince;
  if (since === undefined || hasMoved(input)) return { since: clock.now(), isOverdue: false };
  if (wasOverdue(before)) return { since, isOverdue: true };
  if (!clock.reached(since)) return { since: clock.now(), isOverdue: false };
  return { since, isOverdue: clock.reached(after(since, deadlineSeconds)) };
};
