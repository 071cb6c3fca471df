import type { Counts } from '#constructs/pod-set/look/census.ts';
import { after, type Clock, type Instant } from '#lib/desired/clock.ts';
import type { Condition } from '#lib/desired/result/conditions.ts';

/** The fields of the last status from which progress is measured. */
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

/** The input of {@link progressOf}. */
export interface ProgressInput {
  readonly before: ProgressBefore;
  readonly counts: Counts;
  readonly generation: number;
  readonly revision: string;
  readonly deadlineSeconds: number;
  readonly clock: Clock;
}

/** The time of the last progress, and whether the progress deadline has passed. */
export interface Progress {
  readonly since: Instant;
  readonly isOverdue: boolean;
}

/** Whether there is progress: more updated, ready or available pods, fewer old pods, or a change of the spec or the template. */
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

/** The reason of the conditions Progressing and Stalled after the progress deadline. */
export const OVERDUE = 'ProgressDeadlineExceeded';

const wasOverdue = ({ conditions = [] }: ProgressBefore): boolean =>
  conditions.some(({ type, reason }) => type === 'Progressing' && reason === OVERDUE);

/**
 * Measures the progress of an incomplete set. The status stores the time of the last progress, and the counts for the next
 * comparison.
 *
 * A stalled set stays stalled until there is progress, even if the clock is set back. Otherwise, two operators with different
 * clocks would contradict each other permanently. A stored time in the future comes from another clock, and is replaced by the
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
