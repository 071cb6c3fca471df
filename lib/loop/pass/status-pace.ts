import type { Memory } from '#lib/loop/context.ts';

/** What is remembered of the writes of a status. */
export type StatusPace = Pick<Memory, 'statusWrittenAt' | 'flippedAt'>;

/** A write of a status: whether Ready changes by it, and when, in epoch milliseconds. */
export interface StatusMoment {
  readonly flips: boolean;
  readonly now: number;
}

/** Progress that does not change Ready is written at most so often per resource, in milliseconds. */
const INTERVAL_MS = 250;

/** Ready changes at once, but no more than so often in so many milliseconds: two who disagree would write without end. */
const FLIPS = 5;
const FLIPS_WITHIN_MS = 60_000;

/**
 * How long a status has to wait, in milliseconds; 0 or less for not at all. Changes of Ready do not wait, as somebody may wait
 * for them, until there were five of them within a minute.
 */
export const untilStatusIsDue = ({ statusWrittenAt, flippedAt }: StatusPace, { flips, now }: StatusMoment): number => {
  if (!flips) return statusWrittenAt + INTERVAL_MS - now;
  const fifthLast = flippedAt.length < FLIPS ? -Infinity : (flippedAt.at(-FLIPS) ?? -Infinity);
  return fifthLast + FLIPS_WITHIN_MS - now;
};

/** What is to be remembered of a write. */
export const paceAfter = ({ flippedAt }: StatusPace, { flips, now }: StatusMoment): StatusPace => ({
  statusWrittenAt: now,
  flippedAt: flips ? [...flippedAt, now].slice(-FLIPS) : flippedAt,
});
