import { isPlainObject } from '#lib/kind/json.ts';
import type { Difference, Mismatch } from './compare.ts';

/** A difference from the real server that stays, and is listed in docs/virtual-cluster.md under its id. */
export interface KnownDifference {
  readonly id: string;
  readonly reason: string;
  /** Whether this is one place of it. */
  readonly covers: (difference: Difference, mismatch: Mismatch) => boolean;
  /** After it the two servers hold different objects, so what follows is not compared. */
  readonly endsSequence?: boolean;
}

const virtualBody = ({ actual }: Mismatch): Readonly<Record<string, unknown>> => {
  const answer = 'answer' in actual ? actual.answer : actual.watched.refusal;
  return isPlainObject(answer?.body) ? answer.body : {};
};

/** Lines that the real server adds to tell what has changed in its own structures. */
const goDiff = /(?<=previously negative\)\n)(?:(?:@@|[ +-]).*\n)+/g;

/** As few as possible: the point is to have none. */
export const knownDifferences: readonly KnownDifference[] = [
  {
    id: 'not-implemented',
    reason: 'what is out of scope is refused by name, with 501',
    covers: (_, mismatch) => virtualBody(mismatch)['reason'] === 'NotImplemented',
    endsSequence: true,
  },
  {
    id: 'pod-update-diff',
    reason: 'the message about a forbidden change of a pod does not end with a diff of the Go structures',
    covers: ({ expected, actual }) => typeof expected === 'string' && expected.replaceAll(goDiff, '') === actual,
  },
];
