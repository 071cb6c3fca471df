import type { LifeMemory, Spec } from '#constructs/immortal-container/types.ts';
import { after, type Clock, type Instant, microsOf, secondsBetween } from '#lib/desired/clock.ts';
import { delayAfter } from '#lib/workload/delay.ts';
import type { End } from './exit.ts';

type Settings = Spec['backoff'];

const earlier = (a: Instant, b: Instant): Instant => (microsOf(a) <= microsOf(b) ? a : b);

/** The consequence of the end of a pod: the number of consecutive failures, and the earliest start of the next pod. */
export type Consequence = Pick<LifeMemory, 'consecutiveFailures' | 'nextStartTime'>;

const wasHealthy = ({ readySince }: LifeMemory, finishedAt: Instant, { resetAfterSeconds }: Settings): boolean =>
  readySince !== undefined && secondsBetween(readySince, finishedAt) >= resetAfterSeconds;

/** Whether an end does not count as a failure: a pod that was ready when a client deleted it is replaced at once. */
const isForgiven = ({ readySince }: LifeMemory, { exit: { reason } }: End): boolean =>
  reason === 'Deleted' && readySince !== undefined;

/**
 * Returns the earliest start of the next pod: a delay after the end of the last pod. The clock of the node may be wrong. If the
 * clock is ahead, the delay counts from now. If the clock is behind, the delay can seem to be over when the operator first
 * observes the end. The delay then counts from now, too. The function cannot distinguish this case from an end that the operator
 * observes late.
 */
const startAfter = (
  finishedAt: Instant,
  { delay, now }: { readonly delay: number; readonly now: Instant },
): Instant => {
  const start = after(earlier(finishedAt, now), delay);
  return earlier(start, now) === start ? after(now, delay) : start;
};

/**
 * Counts the end of a pod, and computes the delay before the next start. After a failure, the delay grows with each consecutive
 * failure. The delay after a disruption depends only on the failures before it, so a first disruption causes no delay. A
 * completion causes no delay, and neither does a pod that the operator deleted itself.
 *
 * @param memory - the stored facts about the pod that ended
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
 * Returns the instant before which no pod is started. The instant is at most `maxSeconds` from now, even if a clock was set
 * back or `maxSeconds` was lowered.
 */
export const boundedStart = (next: Instant, { maxSeconds }: Settings, clock: Clock): Instant =>
  clock.reached(after(next, -maxSeconds)) ? next : after(clock.now(), maxSeconds);
