import { isDeepStrictEqual } from 'node:util';
import type { CrashedLife, CrashRig, Done, KillAt } from './crash.ts';
import type { Life } from './life.ts';

/** How many lives of a script are lived at a time: each is an operator process, and most of its time is waiting. */
const LANES = 5;

/** In a life that is disturbed again and again the operator dies at each call of so many. */
const STRIDE = 3;

/** A life that was disturbed, and how. */
export interface DisturbedLife extends CrashedLife {
  /** Where its operator was killed. */
  readonly plan: string;
}

/** One script, lived undisturbed and disturbed. */
export interface Lives {
  readonly undisturbed: CrashedLife;
  readonly disturbed: readonly DisturbedLife[];
}

interface Plan {
  readonly plan: string;
  readonly killAt: KillAt;
}

const never: Plan = { plan: 'never', killAt: () => undefined };

/** The operator dies once. */
const onceAt = (nth: number, when: 'before' | 'after'): Plan => ({
  plan: `${when} call ${nth}`,
  killAt: (mutation) => (mutation === nth ? when : undefined),
});

/** Three lives that have a death at every call between them. */
export const allThree: readonly number[] = [1, 2, 3];

/** The operator dies at each third call, by turns before and after. */
const againAndAgain = (first: number): Plan => ({
  plan: `at call ${first} and each ${STRIDE}th from there`,
  killAt: (mutation) => {
    if (mutation % STRIDE !== first % STRIDE) return undefined;
    return (Math.floor(mutation / STRIDE) + first) % 2 === 0 ? 'before' : 'after';
  },
});

/** Works on several items at a time, in their order. */
const inLanes = async <T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = [];
  const queue = items.entries();
  const lane = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return results;
};

const liveAll = (rig: CrashRig, life: Life, plans: readonly Plan[]): Promise<DisturbedLife[]> =>
  inLanes(plans, async ({ plan, killAt }) => ({ plan, ...(await rig.live(life, killAt)) }));

/** Lives in which the operator dies once, before or after any call that changes something. */
export const exhaustively = async (rig: CrashRig, life: Life, undisturbed: CrashedLife): Promise<DisturbedLife[]> => {
  const plans = undisturbed.mutations.flatMap((_, index) => [onceAt(index + 1, 'before'), onceAt(index + 1, 'after')]);
  return liveAll(rig, life, plans);
};

/**
 * Lives a script undisturbed, and disturbed: in `npm test` with a death at each third call, in one life for each of
 * `firsts`; in a soak in as many lives as there are calls, before and after each, and in all three of those.
 */
export const liveManyTimes = async (rig: CrashRig, life: Life, firsts: readonly number[]): Promise<Lives> => {
  if (process.env['SOAK'] === undefined) {
    const [undisturbed, ...disturbed] = await liveAll(rig, life, [never, ...firsts.map(againAndAgain)]);
    return { undisturbed: undisturbed as CrashedLife, disturbed };
  }
  const undisturbed = await rig.live(life, never.killAt);
  const once = await exhaustively(rig, life, undisturbed);
  return { undisturbed, disturbed: [...once, ...(await liveAll(rig, life, allThree.map(againAndAgain)))] };
};

/** All that a kill must not change. */
export const fateOf = ({ endState, survivors, populations }: CrashedLife): object => ({
  endState,
  survivors,
  populations,
});

/**
 * Nothing was created or deleted that need not have been. It may look like less: requests beside the one that the process
 * dies of are cut as well, and the API server does not record what became of those as successes.
 */
export const isSparing = ({ done }: CrashedLife, undisturbed: CrashedLife): boolean =>
  Object.entries(done).every(([resource, { created, deleted }]) => {
    const enough = undisturbed.done[resource] as Done;
    return created <= enough.created && deleted <= enough.deleted;
  });

/** Only those that differ, with all that is known of them, so that a failure can be read. */
export const strangeAmong = ({ undisturbed, disturbed }: Lives): readonly DisturbedLife[] =>
  disturbed.filter((life) => !isSparing(life, undisturbed) || !isDeepStrictEqual(fateOf(undisturbed), fateOf(life)));
