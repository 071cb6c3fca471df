import type { StepTouches } from '#lib/sim/world/step/step.ts';
import type { Move } from './budget.ts';

/** The moves, by label, that a search does not try in a state, because other orders of the same moves lead to the same states. */
export type SleepSet = ReadonlyMap<string, Move>;

/** The crash renames the request, and the next process can send an equal request with the old name. */
const isEnded = (a: StepTouches, b: StepTouches): boolean => a.ends !== undefined && a.ends === b.sender;

const isApart = (a: StepTouches, b: StepTouches): boolean => {
  const isHostShared = a.host !== undefined && a.host === b.host;
  const isServerShared =
    a.server !== undefined && b.server !== undefined && (a.server === 'writes' || b.server === 'writes');
  return !isHostShared && !isServerShared && !isEnded(a, b) && !isEnded(b, a);
};

/**
 * Whether two moves lead to the same state in both orders, and neither makes the other possible or impossible. Moves with unknown
 * effects are never independent.
 */
const areIndependent = (a: Move, b: Move): boolean =>
  a.touches !== undefined && b.touches !== undefined && isApart(a.touches, b.touches);

/**
 * The sleep set of the state that a move leads to: the moves that were tried before, or were asleep already, and are independent
 * of the move.
 *
 * @see Godefroid, Partial-Order Methods for the Verification of Concurrent Systems, LNCS 1032 (1996), chapter 5
 */
export const sleepAfter = (move: Move, before: Iterable<Move>): SleepSet => {
  const asleep = new Map<string, Move>();
  for (const other of before) if (areIndependent(other, move)) asleep.set(other.label, other);
  return asleep;
};
