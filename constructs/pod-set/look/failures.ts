import { finishedAt, ranSeconds } from '#constructs/pod-set/pods.ts';
import type { FailedPodSettings } from '#constructs/pod-set/settings.ts';
import { FAILURES_ANNOTATION } from '#constructs/pod-set/template.ts';
import { after, type Clock, type Instant, instantOf, microsOf } from '#lib/desired/clock.ts';
import { delayAfter } from '#lib/workload/delay.ts';
import { type ObservedPod, readySince } from '#lib/workload/pod-state.ts';

/** The seconds for which a pod must be ready so that earlier failures no longer count. */
const HEALTHY_SECONDS = 600;

/** The active and the failed pods of one revision. */
export interface RevisionPods {
  readonly active: readonly ObservedPod[];
  readonly failed: readonly ObservedPod[];
}

/** The failures that the current delay counts from, as stored in the status. */
export interface SeenFailure {
  /**
   * The uids, sorted, of two failed pods: the pod that failed last, and the pod with the highest number of failures before it.
   * They are often the same pod.
   */
  readonly podUIDs: readonly string[];
  /** The instant at which the operator first observed these failures, by its own clock. */
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
  /** The number of failures; 0 when no pod failed, or when a pod has been healthy for ten minutes since the last failure. */
  readonly inARow: number;
  /** The end of the delay; `undefined` without failures. */
  readonly until?: Instant;
  /** The failures that the delay counts from; `undefined` without a delay. */
  readonly seen?: SeenFailure;
  /** The number of new pods that wait. The others need not wait, because healthy pods of the revision exist. @default all wait */
  readonly held?: number;
  /**
   * Set when pods failed, but the failures cause no delay, because other pods of the revision are healthy. The annotations of
   * the replacement pods still have the number of failures.
   */
  readonly isExcused?: true;
}

/** The number of failures before a pod, from its annotation; `undefined` if the pod did not replace a failed pod. */
const noteOn = ({ metadata }: ObservedPod): number | undefined => {
  const text = metadata?.annotations?.[FAILURES_ANNOTATION] ?? '';
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined;
};

const notedOn = (pod: ObservedPod): number => noteOn(pod) ?? 0;

const madeAt = ({ metadata }: ObservedPod): number => microsOf(metadata?.creationTimestamp ?? instantOf(0));

/** The end of a pod, but not before its creation. The end time can be before the creation if the clock of the node is behind. */
const endOf = (pod: ObservedPod): number => Math.max(microsOf(finishedAt(pod)), madeAt(pod));

/** The latest instant at which a pod of the revision had been ready for ten minutes; `undefined` if there is no such pod. */
const wellAt = (active: readonly ObservedPod[], clock: Clock): number | undefined =>
  active
    .flatMap((pod) => {
      const since = readySince(pod);
      const at = since === undefined ? undefined : after(since, HEALTHY_SECONDS);
      return at !== undefined && clock.reached(at) ? [microsOf(at)] : [];
    })
    .toSorted((a, b) => b - a)[0];

/** Failed pods, sorted by the time of the failure, the earliest first. */
export const byEnd = (pods: readonly ObservedPod[]): readonly ObservedPod[] =>
  pods
    .map((pod) => ({ pod, end: microsOf(finishedAt(pod)) }))
    .toSorted((a, b) => a.end - b.end || ((a.pod.metadata?.uid ?? '') < (b.pod.metadata?.uid ?? '') ? -1 : 1))
    .map(({ pod }) => pod);

interface Happening {
  readonly at: number;
  readonly counts: (count: number) => number;
}

const madeOf = (pod: ObservedPod): Happening => ({
  at: madeAt(pod),
  counts: (count) => Math.max(count, notedOn(pod)),
});

const failedOf = (pod: ObservedPod): Happening => ({
  at: endOf(pod),
  counts: (count) => (ranSeconds(pod) >= HEALTHY_SECONDS ? 1 : count + 1),
});

/**
 * Counts consecutive failures from the existing pods. Each pod that replaced a failed pod has an annotation with the number of
 * failures before it; later failures are added. A pod that was healthy for ten minutes before it failed starts a new count.
 */
const inARowOf = ({ active, failed }: RevisionPods): number =>
  [...[...active, ...failed].map(madeOf), ...byEnd(failed).map(failedOf)]
    .toSorted((a, b) => a.at - b.at)
    .reduce((count, { counts }) => counts(count), 0);

/**
 * The number of consecutive failures up to this pod, if the pod replaced a failed pod; 0 for a pod that ran for ten minutes, or
 * that did not replace a failed pod.
 */
const depthOf = (pod: ObservedPod): number => {
  const note = noteOn(pod);
  return note === undefined || ranSeconds(pod) >= HEALTHY_SECONDS ? 0 : note + 1;
};

const uidOf = ({ metadata }: ObservedPod): string => metadata?.uid ?? '';

/**
 * The failed pods that identify the newest failure. The time of a failure is not enough, because the clocks of nodes differ: an
 * old failure could seem to be the last one. For this reason, the list also has the pod with the highest number of failures
 * before it.
 */
const newestOf = (failed: readonly ObservedPod[]): readonly string[] => {
  const inOrder = byEnd(failed);
  const deepest = Math.max(...inOrder.map(notedOn));
  const newest = [inOrder.at(-1), inOrder.findLast((pod) => notedOn(pod) === deepest)];
  return [...new Set(newest.flatMap((pod) => (pod ? [uidOf(pod)] : [])))].toSorted();
};

/**
 * Whether the newest failure is already recorded. If a recorded pod was deleted, another pod is now the last failed pod. The
 * failure of that pod is earlier than the recorded time, so the failure is not new.
 */
const wasThere = (failed: readonly ObservedPod[], podUIDs: readonly string[], before: SeenFailure): boolean => {
  const isGone = before.podUIDs.some((uid) => !failed.some((pod) => uidOf(pod) === uid));
  const seenAt = microsOf(before.seenAt);
  const unknown = failed.filter((pod) => podUIDs.includes(uidOf(pod)) && !before.podUIDs.includes(uidOf(pod)));
  return unknown.every((pod) => isGone && endOf(pod) <= seenAt);
};

/**
 * The failures that the delay counts from. A recorded time in the future is replaced by now: another clock set it, or the clock
 * was set back since.
 */
const seenIn = (failed: readonly ObservedPod[], { before, clock }: FailuresOptions): SeenFailure => {
  const podUIDs = newestOf(failed);
  const isKnown = before !== undefined && clock.reached(before.seenAt) && wasThere(failed, podUIDs, before);
  if (!isKnown) return { podUIDs, seenAt: clock.now() };
  return podUIDs.every((uid) => before.podUIDs.includes(uid)) ? before : { podUIDs, seenAt: before.seenAt };
};

/** The recorded failures, as long as one of their pods exists. */
export const stillSeen = (failed: readonly ObservedPod[], before: SeenFailure | undefined): SeenFailure | undefined =>
  failed.some((pod) => before?.podUIDs.includes(uidOf(pod))) ? before : undefined;

/** The number of consecutive failures before the next pod, and which pods have to wait because of them. */
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
 * Whether, and until when, the next pod of a revision has to wait. The delay counts from the time at which the operator observed
 * the failure, not from the timestamp of the node. If the clocks differ, a delay from the timestamp could end at once, or last
 * too long.
 *
 * If a pod of the revision has been healthy for ten minutes, earlier failures do not count. Later failed pods are then replaced
 * at once, because a node that evicts some of the pods must not reduce the set. Only if a replacement soon fails again, its own
 * replacement waits, so that one bad node does not delay pods on other nodes.
 *
 * @see https://github.com/kubernetes/kubernetes/issues/72593 for the problem without a delay
 */
export const failuresOf = (pods: RevisionPods, options: FailuresOptions): Failures => {
  const row = rowOf(pods, options.clock);
  if (row.inARow === 0 || pods.failed.length === 0) return row;
  const seen = seenIn(pods.failed, options);
  return { ...row, until: after(seen.seenAt, delayAfter(row.inARow, options.settings)), seen };
};
