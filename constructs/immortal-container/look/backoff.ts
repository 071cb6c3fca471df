import type { LifeMemory, Spec } from '#constructs/immortal-container/types.ts';
import { after, type Clock, type Instant, microsOf, secondsBetween } from '#lib/desired/clock.ts';
import { delayAfter } from '#lib/workload/delay.ts';
import type { End } from './exit.ts';

type Settings = Spec['backoff'];

const earlier = (a: Instant, b: Instant): Instant => (microsOf(a) <= microsOf(b) ? a : b);

/** The number of consecutive failures after the end of a pod, and the earliest start of the next pod. */
export type Consequence = Pick<LifeMemory, 'consecutiveFailures' | 'nextStartTime'>;

const wasHealthy = ({ readySince }: LifeMemory, finishedAt: Instant, { resetAfterSeconds }: Settings): boolean =>
  readySince !== undefined && secondsBetween(readySince, finishedAt) >= resetAfterSeconds;

/** Whether another client deleted the pod while it was ready. Such a pod is replaced at once, and its end is no failure. */
const isForgiven = ({ readySince }: LifeMemory, { exit: { reason } }: End): boolean =>
  reason === 'Deleted' && readySince !== undefined;

/**
 * Returns the earliest start of the next pod. The delay counts from the end of the last pod. The delay counts from now if this
 * end is in the future, or if the delay would already be over. In these cases, the clock of the node may be wrong.
 */
const startAfter = (
  finishedAt: Instant,
  { delay, now }: { readonly delay: number; readonly now: Instant },
): Instant => {
  const start = after(earlier(finishedAt, now), delay);
  return earlier(start, now) === start ? after(now, delay) : start;
};

/**
 * Counts the end of a pod, and computes the delay before the next start. The delay grows with each consecutive failure. The delay
 * after a disruption depends only on the failures before it. No delay follows a completion, a deletion because of the spec, or
 * the deletion of a ready pod by another client.
 *
 * @param memory - the memory before this end
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
 * Limits the earliest start of the next pod to `maxSeconds` from now. Otherwise, a clock that was set back, or a lowered
 * `maxSeconds`, would cause a longer delay.
 */
export const boundedStart = (next: Instant, { maxSeconds }: Settings, clock: Clock): Instant =>
  clock.reached(after(next, -maxSeconds)) ? next : after(clock.now(), maxSeconds);
