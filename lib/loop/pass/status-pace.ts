import type { Memory } from '#lib/loop/context.ts';

/** What is remembered of the writes of a status. */
export type StatusPace = Pick<Memory, 'statusWrittenAt' | 'flippedAt' | 'answeredGeneration'>;

/** A write of a status. */
export interface StatusMoment {
  /** Whether Ready changes by it. */
  readonly flips: boolean;
  /** Of the spec that it is about: the first status since an edit is an answer to somebody, and no unrest. */
  readonly generation: number;
  /** In epoch milliseconds. */
  readonly now: number;
}

/** Progress that does not change Ready is written at most so often per resource, in milliseconds. */
const INTERVAL_MS = 250;

/** Ready changes at once, but no more than so often in so many milliseconds: two who disagree would write without end. */
const FLIPS = 5;
const FLIPS_WITHIN_MS = 60_000;

/**
 * How long a status has to wait, in milliseconds; 0 or less for not at all. Changes of Ready do not wait, as somebody may wait
 * for them, until there were five of them within a minute; each change of the spec begins the count anew.
 */
export const untilStatusIsDue = (pace: StatusPace, { flips, generation, now }: StatusMoment): number => {
  const { statusWrittenAt, flippedAt, answeredGeneration } = pace;
  if (!flips) return statusWrittenAt + INTERVAL_MS - now;
  if (generation > answeredGeneration) return 0;
  const fifthLast = flippedAt.length < FLIPS ? -Infinity : (flippedAt.at(-FLIPS) ?? -Infinity);
  return fifthLast + FLIPS_WITHIN_MS - now;
};

/** What is to be remembered of a write. */
export const paceAfter = (
  { flippedAt, answeredGeneration }: StatusPace,
  { flips, generation, now }: StatusMoment,
): StatusPace => {
  const before = generation > answeredGeneration ? [] : flippedAt;
  return {
    statusWrittenAt: now,
    flippedAt: flips ? [...before, now].slice(-FLIPS) : before,
    answeredGeneration: Math.max(generation, answeredGeneration),
  };
};
