import { finishedAt, ranSeconds } from '#constructs/pod-set/pods.ts';
import type { FailedPodSettings } from '#constructs/pod-set/settings.ts';
import { FAILURES_ANNOTATION } from '#constructs/pod-set/template.ts';
import { after, type Clock, type Instant, instantOf, microsOf } from '#lib/desired/clock.ts';
import { delayAfter } from '#lib/workload/delay.ts';
import { type ObservedPod, readySince } from '#lib/workload/pod-state.ts';

/** Seconds of health after which earlier failures no longer count. */
const HEALTHY_SECONDS = 600;

/** Pods of one revision. */
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
  /** The start of the delay; `undefined` without one. */
  readonly seen?: SeenFailure;
  /** Number of pods that wait, because others of the revision are healthy. @default all */
  readonly held?: number;
  /**
   * Set when pods failed, but cause no delay because other pods of the revision are healthy. The replacement pods still store
   * the number of failures, in an annotation.
   */
  readonly isExcused?: true;
}

/** Failures before a pod, as it was noted on it when it was made; `undefined` when it took no failed pod's place. */
const noteOn = ({ metadata }: ObservedPod): number | undefined => {
  const text = metadata?.annotations?.[FAILURES_ANNOTATION] ?? '';
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined;
};

const notedOn = (pod: ObservedPod): number => noteOn(pod) ?? 0;

const madeAt = ({ metadata }: ObservedPod): number => microsOf(metadata?.creationTimestamp ?? instantOf(0));

/** With a node whose clock is late, the end of a pod can be before its creation. */
const endOf = (pod: ObservedPod): number => Math.max(microsOf(finishedAt(pod)), madeAt(pod));

/** When the last of the pods that are well had been so for ten minutes; `undefined` when none has. */
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
  /** The count before it → the count after it. */
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
 * Counts consecutive failures from the existing pods. Each pod carries the number of failures before it; failures that came
 * after the newest pod are added. A pod that was healthy for ten minutes before it failed starts a new count.
 */
const inARowOf = ({ active, failed }: RevisionPods): number =>
  [...[...active, ...failed].map(madeOf), ...byEnd(failed).map(failedOf)]
    .toSorted((a, b) => a.at - b.at)
    .reduce((count, { counts }) => counts(count), 0);

/** How often a pod in the place of a failed one failed soon, too; one that lived for ten minutes is no such pod. */
const depthOf = (pod: ObservedPod): number => {
  const note = noteOn(pod);
  return note === undefined || ranSeconds(pod) >= HEALTHY_SECONDS ? 0 : note + 1;
};

const uidOf = ({ metadata }: ObservedPod): string => metadata?.uid ?? '';

/**
 * Detects a new failure. Clocks of nodes differ, so the timestamps alone could make an old failure look like the last one; a
 * pod that was created after a failure carries a higher number of failures.
 */
const newestOf = (failed: readonly ObservedPod[]): readonly string[] => {
  const inOrder = byEnd(failed);
  const deepest = Math.max(...inOrder.map(notedOn));
  const newest = [inOrder.at(-1), inOrder.findLast((pod) => notedOn(pod) === deepest)];
  return [...new Set(newest.flatMap((pod) => (pod ? [uidOf(pod)] : [])))].toSorted();
};

/** Whether the last failed pod was deleted. The pod that is the last one now failed before it, so this is no new failure. */
const wasThere = (failed: readonly ObservedPod[], podUIDs: readonly string[], before: SeenFailure): boolean => {
  const isGone = before.podUIDs.some((uid) => !failed.some((pod) => uidOf(pod) === uid));
  const seenAt = microsOf(before.seenAt);
  const unknown = failed.filter((pod) => podUIDs.includes(uidOf(pod)) && !before.podUIDs.includes(uidOf(pod)));
  return unknown.every((pod) => isGone && endOf(pod) <= seenAt);
};

/** A first observation in the future comes from another clock, or from before ours was set back: it counts from now. */
const seenIn = (failed: readonly ObservedPod[], { before, clock }: FailuresOptions): SeenFailure => {
  const podUIDs = newestOf(failed);
  const isKnown = before !== undefined && clock.reached(before.seenAt) && wasThere(failed, podUIDs, before);
  if (!isKnown) return { podUIDs, seenAt: clock.now() };
  return podUIDs.every((uid) => before.podUIDs.includes(uid)) ? before : { podUIDs, seenAt: before.seenAt };
};

/** The stored observation is kept for as long as one of its pods exists. */
export const stillSeen = (failed: readonly ObservedPod[], before: SeenFailure | undefined): SeenFailure | undefined =>
  failed.some((pod) => before?.podUIDs.includes(uidOf(pod))) ? before : undefined;

/** After how many failures in a row the next pod comes, and whether there were any. */
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
 * Whether, and until when, the next pod of a revision has to wait. The delay counts from the moment at which the set observed
 * the failure, not from the timestamp of the node: with different clocks, the delay would be over at once, or last too long.
 *
 * While a pod of the revision has been healthy for ten minutes, earlier failures do not count, and failed pods are replaced at
 * once, however many: a node that evicts some of the pods must not reduce the set. Only pods that fail again soon wait, and
 * only as many pods as failed: one bad node does not delay others.
 *
 * @see https://github.com/kubernetes/kubernetes/issues/72593 for what happens without a delay
 */
export const failuresOf = (pods: RevisionPods, options: FailuresOptions): Failures => {
  const row = rowOf(pods, options.clock);
  if (row.inARow === 0 || pods.failed.length === 0) return row;
  const seen = seenIn(pods.failed, options);
  return { ...row, until: after(seen.seenAt, delayAfter(row.inARow, options.settings)), seen };
};
