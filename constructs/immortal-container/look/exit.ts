import { MESSAGE_LENGTH } from '#constructs/immortal-container/schema.ts';
import type { Exit, Spec } from '#constructs/immortal-container/types.ts';
import { type Instant, secondsBetween } from '#lib/desired/clock.ts';
import { isTerminating, type ObservedPod, podCondition } from '#lib/workload/pod-state.ts';
import { isDisrupted, mainEndOf, terminationOf } from './pod.ts';

/**
 * A run with exit code 0 that is shorter than this number of seconds counts as a failure. Otherwise, a program that exits at once
 * would be restarted without a delay.
 */
const SHORT_RUN_SECONDS = 10;

/**
 * The class of an end, which decides the delay of the next start.
 *
 * - `completion`: the run was successful and long enough.
 * - `failure`: any other end, such as a failed container, a rejection by the kubelet, or a run that was too short.
 * - `disruption`: an eviction, a preemption, a shutdown or loss of the node, or a deletion by another client.
 * - `deliberate`: the operator deleted the pod because of the spec.
 */
export type ExitClass = 'completion' | 'failure' | 'disruption' | 'deliberate';

/** The end of a pod, and its class. */
export interface End {
  readonly exit: Exit;
  readonly meaning: ExitClass;
}

const REASON_LENGTH = 128;

const exitOf = (exit: Exit): Exit => {
  const { message = '', reason, exitCode, podUID, finishedAt } = exit;
  const text = message.trim().slice(0, MESSAGE_LENGTH);
  return {
    podUID,
    reason: reason.slice(0, REASON_LENGTH),
    finishedAt,
    ...(exitCode !== undefined && { exitCode }),
    ...(text !== '' && { message: text }),
  };
};

/**
 * The end time of a pod. The function returns the first known time in this order: end of a container, last change of the
 * condition Ready, creation, now. The Job controller uses a similar order.
 *
 * @see https://github.com/kubernetes/kubernetes/blob/v1.36.4/pkg/controller/job/backoff_utils.go (getFinishTimeFromPod…)
 */
const finishOf = (pod: ObservedPod, { spec, now }: EndContext): Instant =>
  terminationOf(pod, spec)?.finishedAt ??
  podCondition(pod, 'Ready')?.lastTransitionTime ??
  pod.metadata?.creationTimestamp ??
  now;

/**
 * Whether a run was too short to count as completed, or its length is unknown. The API server writes null for a time that the
 * kubelet did not set.
 */
const isShort = (pod: ObservedPod, spec: Spec): boolean => {
  const { startedAt, finishedAt } = terminationOf(pod, spec) ?? {};
  return !startedAt || !finishedAt || secondsBetween(startedAt, finishedAt) < SHORT_RUN_SECONDS;
};

const reasonOf = (pod: ObservedPod, spec: Spec): string =>
  (pod.status?.reason || undefined) ??
  (terminationOf(pod, spec)?.reason || undefined) ??
  pod.status?.phase ??
  'Unknown';

const meaningOf = (pod: ObservedPod, spec: Spec): ExitClass => {
  if (isDisrupted(pod)) return 'disruption';
  // If the status of the pod has a reason, such as DeadlineExceeded, the exit codes of the containers do not count.
  const isMainDone = (pod.status?.reason ?? '') === '' && mainEndOf(pod, spec)?.exitCode === 0;
  const isGood = pod.status?.phase === 'Succeeded' || isMainDone;
  return isGood && !isShort(pod, spec) ? 'completion' : 'failure';
};

/** The input of {@link podEndOf} besides the pod. */
export interface EndContext {
  readonly spec: Spec;
  readonly now: Instant;
}

/** The end of a pod whose run has ended, with the exit of the container if known. */
export const podEndOf = (pod: ObservedPod, { spec, now }: EndContext): End => {
  const { exitCode, message = pod.status?.message } = terminationOf(pod, spec) ?? {};
  const meaning = meaningOf(pod, spec);
  const isDeleted = isTerminating(pod) && (pod.status?.reason ?? '') === '';
  const exit = exitOf({
    podUID: pod.metadata?.uid ?? '',
    reason: isDeleted ? 'Deleted' : reasonOf(pod, spec),
    finishedAt: finishOf(pod, { spec, now }),
    ...(exitCode !== undefined && { exitCode }),
    ...(message !== undefined && { message }),
  });
  return { exit, meaning };
};

/**
 * The end of a pod that was deleted, or is being deleted, and whose exit is not known. The reason of the exit is the reason of
 * the deletion.
 */
export const unseenEnd = (
  podUID: string,
  { reason, now }: { readonly reason: string; readonly now: Instant },
): End => ({
  exit: { podUID, reason, finishedAt: now },
  meaning: reason === 'Replaced' || reason === 'Suspended' ? 'deliberate' : 'disruption',
});
