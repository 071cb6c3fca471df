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

/** How many pods of a revision failed in a row, and until when the next one waits. */
export interface Failures {
  /** 0 when none failed, or when a pod has been well for ten minutes since. */
  readonly inARow: number;
  /** The end of the delay; `undefined` without failures. */
  readonly until?: Instant;
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

/**
 * Whether, and until when, the next pod of a revision has to wait.
 *
 * @see https://github.com/kubernetes/kubernetes/issues/72593 for what happens without a delay
 */
export const failuresOf = (pods: RevisionPods, settings: FailedPodSettings, clock: Clock): Failures => {
  const inARow = inARowOf(pods);
  if (inARow === 0 || pods.active.some((pod) => isWell(pod, clock))) return { inARow: 0 };
  const last = byEnd(pods.failed).at(-1);
  return last ? { inARow, until: after(finishedAt(last), delayAfter(inARow, settings)) } : { inARow };
};
