import { finishedAt, ranSeconds } from '#constructs/pod-set/pods.ts';
import type { FailedPodSettings } from '#constructs/pod-set/settings.ts';
import { FAILURES_ANNOTATION } from '#constructs/pod-set/template.ts';
import { after, type Clock, type Instant, instantOf, microsOf } from '#lib/desired/clock.ts';
import { delayAfter } from '#lib/workload/delay.ts';
import { type ObservedPod, readySince } from '#lib/workload/pod-state.ts';

/** Seconds of readiness, or of run time before a failure, after which earlier failures no longer count. */
const HEALTHY_SECONDS = 600;

/** The active and the failed pods of one revision. */
export interface RevisionPods {
  readonly active: readonly ObservedPod[];
  readonly failed: readonly ObservedPod[];
}

/** The failures that started the current delay, as stored in the status. */
export interface SeenFailure {
  /**
   * The sorted uids of two failed pods: the pod that ended last, and the pod with the highest number of earlier failures in its
   * annotation. The list has one uid if both are the same pod.
   */
  readonly podUIDs: readonly string[];
  /** The start of the delay: the instant at which the operator observed the failure, by its own clock. */
  readonly seenAt: Instant;
}

/** The input of {@link failuresOf}. */
export interface FailuresOptions {
  readonly settings: FailedPodSettings;
  /** The failures in the last status. */
  readonly before: SeenFailure | undefined;
  readonly clock: Clock;
}

/** The number of consecutive failures of a revision, and the end of the delay before the next pod. */
export interface Failures {
  /** The number of failures; 0 also if a pod became healthy after the failures, or if `isExcused` is set. */
  readonly inARow: number;
  /** The end of the delay; `undefined` if `inARow` is 0 or no failed pod exists. */
  readonly until?: Instant;
  /** The failures that started the delay; `undefined` if `until` is. */
  readonly seen?: SeenFailure;
  /**
   * The number of new pods that wait for `until`. Other new pods need not wait, because a pod of the revision is healthy.
   * @default all wait
   */
  readonly held?: number;
  /**
   * Set when failures cause no delay, because another pod of the revision is healthy. The annotation of the replacement pods has
   * the value 0.
   */
  readonly isExcused?: true;
}

/** The number of failures before a pod, from its annotation; `undefined` without a valid annotation. */
const failuresAnnotationOf = ({ metadata }: ObservedPod): number | undefined => {
  const text = metadata?.annotations?.[FAILURES_ANNOTATION] ?? '';
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined;
};

const failuresAnnotationOrZero = (pod: ObservedPod): number => failuresAnnotationOf(pod) ?? 0;

const createdAt = ({ metadata }: ObservedPod): number => microsOf(metadata?.creationTimestamp ?? instantOf(0));

/** The end of a pod in epoch microseconds. The result is not before the creation, because the clock of the node can be behind. */
const endOf = (pod: ObservedPod): number => Math.max(microsOf(finishedAt(pod)), createdAt(pod));

/**
 * The latest time, in epoch microseconds, at which an active pod reached ten minutes of readiness; `undefined` without such a
 * pod.
 */
const wellAt = (active: readonly ObservedPod[], clock: Clock): number | undefined =>
  active
    .flatMap((pod) => {
      const since = readySince(pod);
      const at = since === undefined ? undefined : after(since, HEALTHY_SECONDS);
      return at !== undefined && clock.reached(at) ? [microsOf(at)] : [];
    })
    .toSorted((a, b) => b - a)[0];

/** Sorts failed pods by end time, the earliest first; pods with equal times by uid. */
export const byEnd = (pods: readonly ObservedPod[]): readonly ObservedPod[] =>
  pods
    .map((pod) => ({ pod, end: microsOf(finishedAt(pod)) }))
    .toSorted((a, b) => a.end - b.end || ((a.pod.metadata?.uid ?? '') < (b.pod.metadata?.uid ?? '') ? -1 : 1))
    .map(({ pod }) => pod);

/** A change of the number of consecutive failures. */
interface CountChange {
  /** The time of the change in epoch microseconds. */
  readonly at: number;
  readonly countAfter: (count: number) => number;
}

const countChangeOfCreate = (pod: ObservedPod): CountChange => ({
  at: createdAt(pod),
  countAfter: (count) => Math.max(count, failuresAnnotationOrZero(pod)),
});

const countChangeOfFailure = (pod: ObservedPod): CountChange => ({
  at: endOf(pod),
  countAfter: (count) => (ranSeconds(pod) >= HEALTHY_SECONDS ? 1 : count + 1),
});

/**
 * Counts consecutive failures from the existing pods. The annotation of a replacement pod has the number of failures before the
 * pod; later failures are added. The failure of a pod that ran for ten minutes sets the count to 1.
 */
const inARowOf = ({ active, failed }: RevisionPods): number =>
  [...[...active, ...failed].map(countChangeOfCreate), ...byEnd(failed).map(countChangeOfFailure)]
    .toSorted((a, b) => a.at - b.at)
    .reduce((count, { countAfter }) => countAfter(count), 0);

/**
 * The number of consecutive failures up to and including this pod. 0 if the pod ran for ten minutes, or did not replace a failed
 * pod.
 */
const depthOf = (pod: ObservedPod): number => {
  const failuresBefore = failuresAnnotationOf(pod);
  return failuresBefore === undefined || ranSeconds(pod) >= HEALTHY_SECONDS ? 0 : failuresBefore + 1;
};

const uidOf = ({ metadata }: ObservedPod): string => metadata?.uid ?? '';

/**
 * The uids of {@link SeenFailure}. The end time alone does not identify the newest failure, because the clocks of nodes differ.
 */
const newestOf = (failed: readonly ObservedPod[]): readonly string[] => {
  const inOrder = byEnd(failed);
  const deepest = Math.max(...inOrder.map(failuresAnnotationOrZero));
  const newest = [inOrder.at(-1), inOrder.findLast((pod) => failuresAnnotationOrZero(pod) === deepest)];
  return [...new Set(newest.flatMap((pod) => (pod ? [uidOf(pod)] : [])))].toSorted();
};

/**
 * Whether the status already stores the newest failure. After the deletion of a stored pod, an older failed pod becomes the
 * newest. Its failure is not new if it ended before the stored time.
 */
const wasThere = (failed: readonly ObservedPod[], podUIDs: readonly string[], before: SeenFailure): boolean => {
  const isGone = before.podUIDs.some((uid) => !failed.some((pod) => uidOf(pod) === uid));
  const seenAt = microsOf(before.seenAt);
  const unknown = failed.filter((pod) => podUIDs.includes(uidOf(pod)) && !before.podUIDs.includes(uidOf(pod)));
  return unknown.every((pod) => isGone && endOf(pod) <= seenAt);
};

/**
 * The failures that started the delay. A stored time in the future is replaced by the current time, because the clocks of
 * operators may differ.
 */
const seenIn = (failed: readonly ObservedPod[], { before, clock }: FailuresOptions): SeenFailure => {
  const podUIDs = newestOf(failed);
  const isKnown = before !== undefined && clock.reached(before.seenAt) && wasThere(failed, podUIDs, before);
  if (!isKnown) return { podUIDs, seenAt: clock.now() };
  return podUIDs.every((uid) => before.podUIDs.includes(uid)) ? before : { podUIDs, seenAt: before.seenAt };
};

/** The stored failures; `undefined` when none of their pods exists any more. */
export const stillSeen = (failed: readonly ObservedPod[], before: SeenFailure | undefined): SeenFailure | undefined =>
  failed.some((pod) => before?.podUIDs.includes(uidOf(pod))) ? before : undefined;

const rowOf = ({ active, failed }: RevisionPods, clock: Clock): Pick<Failures, 'inARow' | 'isExcused' | 'held'> => {
  const well = wellAt(active, clock);
  if (well === undefined) return { inARow: inARowOf({ active, failed }) };
  const since = failed.filter((pod) => endOf(pod) > well);
  const depths = since.map(depthOf);
  const inARow = Math.max(0, ...depths);
  const held = depths.filter((depth) => depth > 0).length;
  return inARow === 0 && since.length > 0 ? { inARow, isExcused: true } : { inARow, held };
};

/**
 * Counts the failures of a revision, and computes the delay of its next pods. The delay starts when the operator observes the
 * failure. The timestamp from the node is not used, because the clocks may differ.
 *
 * If a pod of the revision has been healthy for ten minutes, earlier failures do not count. Pods that fail later are replaced at
 * once, because an eviction of some pods must not reduce the set. If such a replacement fails within ten minutes, only its own
 * replacement waits. One bad node therefore does not delay pods on other nodes.
 *
 * @see https://github.com/kubernetes/kubernetes/issues/72593 for the problem without a delay
 */
export const failuresOf = (pods: RevisionPods, options: FailuresOptions): Failures => {
  const row = rowOf(pods, options.clock);
  if (row.inARow === 0 || pods.failed.length === 0) return row;
  const seen = seenIn(pods.failed, options);
  return { ...row, until: after(seen.seenAt, delayAfter(row.inARow, options.settings)), seen };
};
