import { finishedAt, ranSeconds } from '#constructs/pod-set/pods.ts';
import type { FailedPodSettings } from '#constructs/pod-set/settings.ts';
import { FAILURES_ANNOTATION } from '#constructs/pod-set/template.ts';
import { after, type Clock, type Instant, microsOf } from '#lib/desired/clock.ts';
import { delayAfter } from '#lib/desired/delay.ts';
import { type ObservedPod, readySince } from '#lib/desired/pod-state.ts';

/** After so many seconds of health whatever was wrong is taken to be over. */
const HEALTHY_SECONDS = 600;

/** Pods of one revision. */
export interface RevisionPods {
  readonly active: readonly ObservedPod[];
  readonly failed: readonly ObservedPod[];
}

/** What the next pod waits for, as a status remembers it. */
export interface SeenFailure {
  /** Of the pod that failed last by its own account, and of the last made of those that failed; often one and the same. Sorted. */
  readonly podUIDs: readonly string[];
  /** When they were first seen, by the operator's own clock. */
  readonly seenAt: Instant;
}

/** What failures are judged by. */
export interface FailuresOptions {
  readonly settings: FailedPodSettings;
  /** What the last status remembers. */
  readonly before: SeenFailure | undefined;
  readonly clock: Clock;
}

/** How many pods of a revision failed in a row, and until when the next one waits. */
export interface Failures {
  /** 0 when none failed, or when a pod has been well for ten minutes since. */
  readonly inARow: number;
  /** The end of the delay; `undefined` without failures. */
  readonly until?: Instant;
  /** What the delay counts from; `undefined` without one. */
  readonly seen?: SeenFailure;
}

/** Failures before a pod, as it was noted on it when it was made. */
const notedOn = ({ metadata }: ObservedPod): number => {
  const text = metadata?.annotations?.[FAILURES_ANNOTATION] ?? '';
  return /^\d{1,6}$/.test(text) ? Number(text) : 0;
};

const isWell = (pod: ObservedPod, clock: Clock): boolean => {
  const since = readySince(pod);
  return since !== undefined && clock.reached(after(since, HEALTHY_SECONDS));
};

/** Failed pods, the first to fail first. */
export const byEnd = (pods: readonly ObservedPod[]): readonly ObservedPod[] =>
  pods
    .map((pod) => ({ pod, end: microsOf(finishedAt(pod)) }))
    .toSorted((a, b) => a.end - b.end || ((a.pod.metadata?.uid ?? '') < (b.pod.metadata?.uid ?? '') ? -1 : 1))
    .map(({ pod }) => pod);

/**
 * Counts failures in a row. What is there tells: each pod carries the number of failures before it, and those that failed
 * stay until they are replaced. A pod that ran well for ten minutes before it failed begins anew.
 */
const inARowOf = ({ active, failed }: RevisionPods): number => {
  const before = Math.max(0, ...active.map(notedOn));
  return byEnd(failed).reduce(
    (count, pod) => (ranSeconds(pod) >= HEALTHY_SECONDS ? 1 : Math.max(count, notedOn(pod)) + 1),
    before,
  );
};

const uidOf = ({ metadata }: ObservedPod): string => metadata?.uid ?? '';

/**
 * Tells a failure that is new. Clocks of nodes differ, so that the last by its own account may stay the last for long; but a
 * pod that was made after it has a greater number of failures noted on it.
 */
const newestOf = (failed: readonly ObservedPod[]): readonly string[] => {
  const inOrder = byEnd(failed);
  const deepest = Math.max(...inOrder.map(notedOn));
  const newest = [inOrder.at(-1), inOrder.findLast((pod) => notedOn(pod) === deepest)];
  return [...new Set(newest.flatMap((pod) => (pod ? [uidOf(pod)] : [])))].toSorted();
};

/** What was first seen in our future was seen by another clock, or before ours was set back: it counts from now. */
const seenIn = (failed: readonly ObservedPod[], { before, clock }: FailuresOptions): SeenFailure => {
  const podUIDs = newestOf(failed);
  const isKnown = before !== undefined && podUIDs.every((uid) => before.podUIDs.includes(uid));
  return isKnown && clock.reached(before.seenAt) ? before : { podUIDs, seenAt: clock.now() };
};

/** What a status remembers is kept for as long as one of its pods is there. */
export const stillSeen = (failed: readonly ObservedPod[], before: SeenFailure | undefined): SeenFailure | undefined =>
  failed.some((pod) => before?.podUIDs.includes(uidOf(pod))) ? before : undefined;

/**
 * Whether, and until when, the next pod of a revision has to wait. The delay counts from when the failure was seen and not
 * from when a node says it was: with clocks that differ it would be over at once, or last for as long as they differ.
 *
 * @see https://github.com/kubernetes/kubernetes/issues/72593 for what happens without a delay
 */
export const failuresOf = (pods: RevisionPods, options: FailuresOptions): Failures => {
  const inARow = inARowOf(pods);
  if (inARow === 0 || pods.active.some((pod) => isWell(pod, options.clock))) return { inARow: 0 };
  if (pods.failed.length === 0) return { inARow };
  const seen = seenIn(pods.failed, options);
  return { inARow, until: after(seen.seenAt, delayAfter(inARow, options.settings)), seen };
};
