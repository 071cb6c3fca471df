import { type Difference, type Mismatch, mismatchesOf } from './compare.ts';
import { type KnownDifference, knownDifferences } from './known-differences.ts';
import type { NormalPlayed } from './normalise.ts';
import { isWatch } from './step.ts';

/** The result of comparing two recordings of a sequence. */
export interface Verdict {
  /** The first step with unknown differences, without the known ones; absent when there is none. */
  readonly mismatch?: Mismatch;
  /** Ids of the known differences up to the mismatch. */
  readonly met: ReadonlySet<string>;
}

const knownFor = (
  difference: Difference,
  mismatch: Mismatch,
  known: readonly KnownDifference[],
): KnownDifference | undefined => known.find(({ covers }) => covers(difference, mismatch));

/** Requests in order, then watches: a watch lasts until the end, whenever it was opened. */
const watchesLast = (mismatches: readonly Mismatch[]): readonly Mismatch[] => [
  ...mismatches.filter(({ step }) => !isWatch(step)),
  ...mismatches.filter(({ step }) => isWatch(step)),
];

/**
 * Compares two recordings of the same sequence.
 *
 * @param known - differences that are accepted; none when a server is compared with itself
 */
export const judge = (
  expected: readonly NormalPlayed[],
  actual: readonly NormalPlayed[],
  known: readonly KnownDifference[] = knownDifferences,
): Verdict => {
  const met = new Set<string>();
  for (const mismatch of watchesLast(mismatchesOf(expected, actual))) {
    const found = mismatch.differences.map((difference) => knownFor(difference, mismatch, known));
    for (const one of found) if (one !== undefined) met.add(one.id);
    const differences = mismatch.differences.filter((_, index) => found[index] === undefined);
    if (differences.length > 0) return { mismatch: { ...mismatch, differences }, met };
    if (found.some((one) => one?.endsSequence === true)) break;
  }
  return { met };
};
