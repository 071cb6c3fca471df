import { backoffMs } from '#lib/loop/queue/backoff.ts';

/** How long writes are withheld at first, and at most, in milliseconds. */
const INITIAL_MS = 1000;
const MAX_MS = 300_000;

/**
 * How long what follows from own writes alone is withheld.
 *
 * @param rounds - how often in a row, 1 or more
 * @param random - uniform in [0, 1)
 * @returns milliseconds
 */
export const unrestMs = (rounds: number, random: () => number): number =>
  backoffMs(rounds, { initialMs: INITIAL_MS, maxMs: MAX_MS, random });

/** A function that wants something else after everything that the loop writes for it. */
export interface Unrest {
  /** How many passes in a row wrote what was due to nothing but the writes of the pass before. */
  readonly level: number;
  /** How often in a row the writes were withheld. */
  readonly rounds: number;
  /** Until when what follows from own writes alone is withheld, in epoch milliseconds; absent while nothing is. */
  readonly notBefore?: number;
  /** What keeps changing; the same text as long as it is the same. */
  readonly text: string;
}

/** A function that wants another status after each one that is written for it. */
export interface StatusUnrest {
  /** How many statuses in a row were due to nothing but the one before. */
  readonly steps: number;
  /** Until when the next such one is withheld, in epoch milliseconds; absent while none is. */
  readonly notBefore?: number;
  /** What keeps changing. */
  readonly text?: string;
}
