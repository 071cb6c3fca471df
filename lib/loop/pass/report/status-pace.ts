import { isoOf, slot } from '#lib/loop/context/memory.ts';

/** The time of the last write of a status, and the times of the last two writes that changed Ready. */
export interface StatusPace {
  /** The time of the last write, in epoch milliseconds. */
  readonly statusWrittenAt: number;
  /** The times of the last two writes that changed Ready, in epoch milliseconds, oldest first. */
  readonly flippedAt: readonly number[];
}

/** The slot in memory for the {@link StatusPace} of a resource. */
export const paceSlot = slot<StatusPace>('statusPace', {
  empty: { statusWrittenAt: -Infinity, flippedAt: [] },
  inspect: ({ statusWrittenAt, flippedAt }) => ({
    statusWrittenAt: isoOf(statusWrittenAt),
    ...(flippedAt.length > 0 && { flippedAt: flippedAt.map(isoOf) }),
  }),
});

/** A write of the status: its time, and whether Ready changes. */
export interface StatusMoment {
  /** Whether the write changes Ready. */
  readonly flips: boolean;
  /** The time of the write, in epoch milliseconds. */
  readonly now: number;
}

/**
 * The minimum time between a write of the status of a resource and a next write that does not change Ready, in milliseconds. One
 * write contains all changes of this time.
 */
const INTERVAL_MS = 250;

/** The number of changes of Ready that may follow each other at once. Their average rate has the limit of other writes. */
const FLIPS = 2;

/**
 * The delay of a status, in milliseconds; 0 or less for no delay. A change of Ready is written at once, because `kubectl wait`
 * and rollouts wait for Ready. It is delayed only while two other such changes were written within the last half second.
 */
export const untilStatusIsDue = ({ statusWrittenAt, flippedAt }: StatusPace, { flips, now }: StatusMoment): number => {
  if (!flips) return statusWrittenAt + INTERVAL_MS - now;
  return (flippedAt.at(-FLIPS) ?? -Infinity) + FLIPS * INTERVAL_MS - now;
};

/** The pace after one more write. */
export const paceAfter = ({ flippedAt }: StatusPace, { flips, now }: StatusMoment): StatusPace => ({
  statusWrittenAt: now,
  flippedAt: flips ? [...flippedAt, now].slice(-FLIPS) : flippedAt,
});
