import { MESSAGE_LENGTH } from '#constructs/immortal-container/schema.ts';
import type { Exit, Spec } from '#constructs/immortal-container/types.ts';
import { type Instant, secondsBetween } from '#lib/desired/clock.ts';
import { isTerminating, type ObservedPod, podCondition } from '#lib/workload/pod-state.ts';
import { isDisrupted, mainEndOf, terminationOf } from './pod.ts';

/** A run that ends well within so many seconds counts as a failure: what exits at once would be started without a break. */
const SHORT_RUN_SECONDS = 10;

/**
 * What an end means for the next start. `completion`: exit 0 after a while. `failure`: of a container, or the kubelet did not
 * take the pod. `disruption`: the pod was taken away. `deliberate`: we deleted it, because the spec changed.
 */
export type ExitClass = 'completion' | 'failure' | 'disruption' | 'deliberate';

/** How a pod ended, and what that means. */
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
 * When a pod ended: when its container did; or else when it became unready; or else when it was created. The order of the Job
 * controller.
 *
 * @see https://github.com/kubernetes/kubernetes/blob/v1.36.4/pkg/controller/job/backoff_utils.go (getFinishTimeFromPod…)
 */
const finishOf = (pod: ObservedPod, { spec, now }: EndContext): Instant =>
  terminationOf(pod, spec)?.finishedAt ??
  podCondition(pod, 'Ready')?.lastTransitionTime ??
  pod.metadata?.creationTimestamp ??
  now;

/** The API server writes null for a time that the kubelet did not give. */
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
  // A pod with a reason of its own, such as DeadlineExceeded, was ended by it, whatever its containers made of that.
  const isMainDone = (pod.status?.reason ?? '') === '' && mainEndOf(pod, spec)?.exitCode === 0;
  const isGood = pod.status?.phase === 'Succeeded' || isMainDone;
  return isGood && !isShort(pod, spec) ? 'completion' : 'failure';
};

/** What the end of a pod is judged by, besides the pod. */
export interface EndContext {
  readonly spec: Spec;
  readonly now: Instant;
}

/** The end of a pod that has run its course, or was stopped from outside. */
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

/** The end of a pod of which nothing is known but that it is gone, or goes: why we think so. */
export const unseenEnd = (
  podUID: string,
  { reason, now }: { readonly reason: string; readonly now: Instant },
): End => ({
  exit: { podUID, reason, finishedAt: now },
  meaning: reason === 'Replaced' || reason === 'Suspended' ? 'deliberate' : 'disruption',
});
