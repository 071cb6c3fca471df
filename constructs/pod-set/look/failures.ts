import { finishedAt, ranSeconds } from '#constructs/pod-set/pods.ts';
import type { FailedPodSettings } from '#constructs/pod-set/settings.ts';
import { FAILURES_ANNOTATION } from '#constructs/pod-set/template.ts';
import { after, type Clock, type Instant, instantOf, microsOf } from '#lib/desired/clock.ts';
import { delayAfter } from '#lib/workload/delay.ts';
import { type ObservedPod, readySince } from '#lib/workload/pod-state.ts';

/** Seconds of health after which earlier failures no longer count. */
const HEALTHY_SECONDS = 600;

/** The pods of one revision. */
export interface RevisionPods {
  readonly active: readonly ObservedPod[];
  readonly failed: readonly ObservedPod[];
}

/** The failure for which the next pod waits, as stored in the status. */
export interface SeenFailure {
  /** Uids of the pod with the last failure time and of the failed pod created last, often the same. Sorted. */
  readonly podUIDs: readonly string[];
  /** The instant at which the operator first observed these failures, by its own clock. */
  readonly seenAt: Instant;
}

/** The input of the count of failures. */
export interface FailuresOptions {
  readonly settings: FailedPodSettings;
  /** The value in the last status. */
  readonly before: SeenFailure | undefined;
  readonly clock: Clock;
}

/** The number of consecutive failures of a revision, and the end of the delay before the next pod. */
export interface Failures {
  /** 0 when no pod failed, or when a pod has been healthy for ten minutes since the last failure. */
  readonly inARow: number;
  /** The end of the delay; `undefined` without failures. */
  readonly until?: Instant;
  /** The observation from which the delay counts; `undefined` without a delay. */
  readonly seen?: SeenFailure;
  /** The number of new pods that wait, while other pods of the revision are healthy. @default all new pods */
  readonly held?: number;
  /**
   * Set when pods failed, but cause no delay because other pods of the revision are healthy. The replacement pods still store
   * the number of failures, in an annotation.
   */
  readonly isExcused?: true;
}

/** The number of failures before a pod, from its annotation; `undefined` when the pod did not replace a failed pod. */
const noteOn = ({ metadata }: ObservedPod): number | undefined => {
  const text = metadata?.annotations?.[FAILURES_ANNOTATION] ?? '';
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined;
};

const notedOn = (pod: ObservedPod): number => noteOn(pod) ?? 0;

const madeAt = ({ metadata }: ObservedPod): number => microsOf(metadata?.creationTimestamp ?? instantOf(0));

/**
 * The end of a pod, and at least its creation. When the clock of a node is slow, the reported end can be before the creation.
 */
const endOf = (pod: ObservedPod): number => Math.max(microsOf(finishedAt(pod)), madeAt(pod));

/** The last time at which a pod had been ready for ten minutes; `undefined` when no pod has been ready for that long. */
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
  /** Computes the number of failures after this event from the number before it. */
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
 * Counts consecutive failures from the existing pods. The annotation of a pod has the number of failures before it, and
 * failures after the newest pod are added. A pod that was healthy for ten minutes before it failed starts a new count.
 */
const inARowOf = ({ active, failed }: RevisionPods): number =>
  [...[...active, ...failed].map(madeOf), ...byEnd(failed).map(failedOf)]
    .toSorted((a, b) => a.at - b.at)
    .reduce((count, { counts }) => counts(count), 0);

/**
 * The number of consecutive early failures up to this pod; 0 if the pod ran for ten minutes, or did not replace a failed pod.
 */
const depthOf = (pod: ObservedPod): number => {
  const note = noteOn(pod);
  return note === undefined || ranSeconds(pod) >= HEALTHY_SECONDS ? 0 : note + 1;
};

const uidOf = ({ metadata }: ObservedPod): string => metadata?.uid ?? '';

/**
 * The uids of two failed pods: the pod with the last end, and the last pod with the highest number of earlier failures. The
 * clocks of nodes differ, so end times alone could make an old failure look like the last failure.
 */
const newestOf = (failed: readonly ObservedPod[]): readonly string[] => {
  const inOrder = byEnd(failed);
  const deepest = Math.max(...inOrder.map(notedOn));
  const newest = [inOrder.at(-1), inOrder.findLast((pod) => notedOn(pod) === deepest)];
  return [...new Set(newest.flatMap((pod) => (pod ? [uidOf(pod)] : [])))].toSorted();
};

/**
 * Whether the failures are not new since the stored observation. When the last failed pod was deleted, an earlier failed pod
 * becomes the last one, which is not a new failure.
 */
const wasThere = (failed: readonly ObservedPod[], podUIDs: readonly string[], before: SeenFailure): boolean => {
  const isGone = before.podUIDs.some((uid) => !failed.some((pod) => uidOf(pod) === uid));
  const seenAt = microsOf(before.seenAt);
  const unknown = failed.filter((pod) => podUIDs.includes(uidOf(pod)) && !before.podUIDs.includes(uidOf(pod)));
  return unknown.every((pod) => isGone && endOf(pod) <= seenAt);
};

/**
 * The first observation of the last failures. A stored time in the future comes from another clock, or from a time before this
 * clock was set back; it is replaced by the current time.
 */
const seenIn = (failed: readonly ObservedPod[], { before, clock }: FailuresOptions): SeenFailure => {
  const podUIDs = newestOf(failed);
  const isKnown = before !== undefined && clock.reached(before.seenAt) && wasThere(failed, podUIDs, before);
  if (!isKnown) return { podUIDs, seenAt: clock.now() };
  return podUIDs.every((uid) => before.podUIDs.includes(uid)) ? before : { podUIDs, seenAt: before.seenAt };
};

/** The stored observation, as long as one of its pods exists. */
export const stillSeen = (failed: readonly ObservedPod[], before: SeenFailure | undefined): SeenFailure | undefined =>
  failed.some((pod) => before?.podUIDs.includes(uidOf(pod))) ? before : undefined;

/** The number of consecutive failures before the next pod. While a pod is healthy, only failures of replacement pods count. */
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
 * Whether the next pod of a revision has to wait, and until when. The delay counts from the moment at which the set observed
 * the failure. It does not count from the timestamp of the node, because with different clocks, the delay would be over at
 * once or last too long.
 *
 * While a pod of the revision has been healthy for ten minutes, earlier failures do not count, and all failed pods are
 * replaced at once: a node that evicts many pods must not reduce the set. Only replacements of pods that failed again soon
 * must wait, so one bad node does not delay other pods.
 *
 * @see https://github.com/kubernetes/kubernetes/issues/72593 for the problem without a delay
 */
export const failuresOf = (pods: RevisionPods, options: FailuresOptions): Failures => {
  const row = rowOf(pods, options.clock);
  if (row.inARow === 0 || pods.failed.length === 0) return row;
  const seen = seenIn(pods.failed, options);
  return { ...row, until: after(seen.seenAt, delayAfter(row.inARow, options.settings)), seen };
};
