import type { Step } from './step.ts';

/** Returns whether a shorter sequence still has the mismatch. */
export type StillFails = (steps: readonly Step[]) => Promise<boolean>;

/**
 * Drops steps as long as the mismatch stays: halves first, then quarters, at last single steps.
 *
 * @param budget - maximum number of shorter sequences to try
 */
export const shrink = async (steps: readonly Step[], stillFails: StillFails, budget = 80): Promise<readonly Step[]> => {
  let shortest = steps;
  let left = budget;
  let size = Math.ceil(steps.length / 2);
  while (size >= 1 && left > 0) {
    let hasShrunk = false;
    for (let start = 0; start < shortest.length && left > 0; ) {
      const shorter = shortest.toSpliced(start, size);
      left -= 1;
      if (shorter.length > 0 && (await stillFails(shorter))) {
        shortest = shorter;
        hasShrunk = true;
      } else start += size;
    }
    if (!hasShrunk || size > 1) size = size === 1 ? 0 : Math.ceil(size / 2);
  }
  return shortest;
};
