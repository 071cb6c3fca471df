import { isoOf, slot } from '#lib/loop/context/memory.ts';

/** When a status was last written, and when the last two writes changed Ready. */
export interface StatusPace {
  /** In epoch milliseconds. */
  readonly statusWrittenAt: number;
  /** In epoch milliseconds, oldest first. */
  readonly flippedAt: readonly number[];
}

/** The pace of the status of a resource. */
export const paceSlot = slot<StatusPace>('statusPace', {
  empty: { statusWrittenAt: -Infinity, flippedAt: [] },
  inspect: ({ statusWrittenAt, flippedAt }) => ({
    statusWrittenAt: isoOf(statusWrittenAt),
    ...(flippedAt.length > 0 && { flippedAt: flippedAt.map(isoOf) }),
  }),
});

/** The write of a status that is due. */
export interface StatusMoment {
  /** Whether it changes Ready. */
  readonly flips: boolean;
  /** In epoch milliseconds. */
  readonly now: number;
}

/** The minimum distance between two statuses of one resource, in milliseconds: all changes in between are one write. */
const INTERVAL_MS = 250;

/** Changes of Ready are as frequent on average, but two may follow each other at once. */
const FLIPS = 2;

/**
 * The delay of a status, in milliseconds; 0 or less for none. A change of Ready is not delayed by an earlier write, because
 * `kubectl wait` and rollouts wait for it, unless Ready changed twice within half a second.
 */
export const untilStatusIsDue = ({ statusWrittenAt, flippedAt }: StatusPace, { flips, now }: StatusMoment): number => {
  if (!flips) return statusWrittenAt + INTERVAL_MS - now;
  return (flippedAt.at(-FLIPS) ?? -Infinity) + FLIPS * INTERVAL_MS - now;
};

/** The pace after a write. */
export const paceAfter = ({ flippedAt }: StatusPace, { flips, now }: StatusMoment): StatusPace => ({
  statusWrittenAt: now,
  flippedAt: flips ? [...flippedAt, now].slice(-FLIPS) : flippedAt,
});
