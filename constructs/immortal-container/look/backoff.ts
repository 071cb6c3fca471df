import type { LifeMemory, Spec } from '#constructs/immortal-container/types.ts';
import { after, type Clock, type Instant, microsOf, secondsBetween } from '#lib/desired/clock.ts';
import { delayAfter } from '#lib/workload/delay.ts';
import type { End } from './exit.ts';

type Settings = Spec['backoff'];

const earlier = (a: Instant, b: Instant): Instant => (microsOf(a) <= microsOf(b) ? a : b);

/** What follows from an end: how many failures there were in a row, and when the next pod may start. */
export type Consequence = Pick<LifeMemory, 'consecutiveFailures' | 'nextStartTime'>;

const wasHealthy = ({ readySince }: LifeMemory, finishedAt: Instant, { resetAfterSeconds }: Settings): boolean =>
  readySince !== undefined && secondsBetween(readySince, finishedAt) >= resetAfterSeconds;

/** Whether an end is not a failure: a ready pod that was deleted is replaced at once. */
const isForgiven = ({ readySince }: LifeMemory, { exit: { reason } }: End): boolean =>
  reason === 'Deleted' && readySince !== undefined;

/**
 * Earliest start of the next pod: a delay after the end of the last one. A node clock that is ahead must not prolong the delay. One that
 * is behind must not skip it: if the delay is over when the end is first seen, it starts at that time. An end that was not observed for
 * a long time looks the same, and waits again.
 */
const startAfter = (
  finishedAt: Instant,
  { delay, now }: { readonly delay: number; readonly now: Instant },
): Instant => {
  const start = after(earlier(finishedAt, now), delay);
  return earlier(start, now) === start ? after(now, delay) : start;
};

/**
 * Counts an end. What was taken away starts at once for the first time in a row, and then as late as one failure less would;
 * failures start ever later; what completed, or was ended by us, starts at once.
 *
 * @param memory - what is known of the pod that ended
 */
export const consequenceOf = (
  memory: LifeMemory,
  end: End,
  { settings, now }: { readonly settings: Settings; readonly now: Instant },
): Consequence => {
  const { meaning, exit } = end;
  if (meaning === 'completion') return { consecutiveFailures: 0 };
  const before = wasHealthy(memory, exit.finishedAt, settings) ? 0 : memory.consecutiveFailures;
  if (meaning === 'deliberate' || isForgiven(memory, end)) return { consecutiveFailures: before };
  const failures = before + 1;
  const delay = delayAfter(meaning === 'disruption' ? failures - 1 : failures, settings);
  const nextStartTime = startAfter(exit.finishedAt, { delay, now });
  return { consecutiveFailures: failures, ...(delay > 0 && { nextStartTime }) };
};

/**
 * The instant before which no pod is started. A clock that was set back, or a maximum that was lowered, never makes it later
 * than the maximum from now on.
 */
export const boundedStart = (next: Instant, { maxSeconds }: Settings, clock: Clock): Instant =>
  clock.reached(after(next, -maxSeconds)) ? next : after(clock.now(), maxSeconds);
