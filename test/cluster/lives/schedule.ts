import { isDeepStrictEqual } from 'node:util';
import type { CrashedLife, CrashRig, Done, KillAt } from './crash.ts';
import type { Life } from './life.ts';

/** Number of concurrent lives of a script: each is an operator process that mostly waits. */
const LANES = 5;

/** In a life with repeated crashes, the distance between two calls at which the operator is killed. */
const STRIDE = 3;

/** Whether each script has two lives for each of its calls. */
export const isExhaustive = process.env['SOAK'] !== undefined;

/** A disturbed life, and its disturbance. */
export interface DisturbedLife extends CrashedLife {
  /** The calls at which the operator was killed, in words. */
  readonly plan: string;
  /** The only call at which the operator was to be killed; absent if there are several. */
  readonly onlyCall?: number;
}

/** The undisturbed and the disturbed runs of one script. */
export interface Lives {
  readonly undisturbed: CrashedLife;
  readonly disturbed: readonly DisturbedLife[];
}

interface Plan extends Pick<DisturbedLife, 'plan' | 'onlyCall'> {
  readonly killAt: KillAt;
}

const never: Plan = { plan: 'never', killAt: () => undefined };

/** Kills the operator once. */
const onceAt = (nth: number, when: 'before' | 'after'): Plan => ({
  plan: `${when} call ${nth}`,
  onlyCall: nth,
  killAt: (mutation) => (mutation === nth ? when : undefined),
});

/** Three lives that together have a crash at every call. */
export const allThree: readonly number[] = [1, 2, 3];

/** Kills the operator at the call `first` and at each third call from there, alternately before and after the call. */
const againAndAgain = (first: number): Plan => ({
  plan: `at call ${first} and each ${STRIDE}th from there`,
  killAt: (mutation) => {
    if (mutation % STRIDE !== first % STRIDE) return undefined;
    return (Math.floor(mutation / STRIDE) + first) % 2 === 0 ? 'before' : 'after';
  },
});

/** Processes several items at a time, in order. */
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
  inLanes(plans, async ({ killAt, ...named }) => ({ ...named, ...(await rig.live(life, killAt)) }));

/** Lives in which the operator is killed once, before or after any mutating call. */
export const exhaustively = async (rig: CrashRig, life: Life, undisturbed: CrashedLife): Promise<DisturbedLife[]> => {
  const plans = undisturbed.mutations.flatMap((_, index) => [onceAt(index + 1, 'before'), onceAt(index + 1, 'after')]);
  return liveAll(rig, life, plans);
};

/**
 * Runs a script once without a crash, and in several lives with crashes. In `npm test`, each of `firsts` has one life, with a
 * crash at each third call. In a soak, each call has two lives, with one crash before or after this call. The lives of
 * {@link allThree} follow.
 */
export const liveManyTimes = async (rig: CrashRig, life: Life, firsts: readonly number[]): Promise<Lives> => {
  if (!isExhaustive) {
    const [undisturbed, ...disturbed] = await liveAll(rig, life, [never, ...firsts.map(againAndAgain)]);
    return { undisturbed: undisturbed as CrashedLife, disturbed };
  }
  const undisturbed = await rig.live(life, never.killAt);
  const once = await exhaustively(rig, life, undisturbed);
  return { undisturbed, disturbed: [...once, ...(await liveAll(rig, life, allThree.map(againAndAgain)))] };
};

/** The results that a crash must not change. */
export const fateOf = ({ endState, survivors, populations }: CrashedLife): object => ({
  endState,
  survivors,
  populations,
});

/**
 * Whether a life created and deleted no more objects than the undisturbed life, and created each child again at most once on the
 * last day. The audit log may show fewer: concurrent requests of the killed process are cut as well, and the API server does not
 * log them as successes.
 */
export const isSparing = ({ done, createdLast }: CrashedLife, undisturbed: CrashedLife): boolean =>
  Object.entries(done).every(([resource, { created, deleted }]) => {
    const enough = undisturbed.done[resource] as Done;
    const last = createdLast[resource] ?? 0;
    return created <= enough.created && deleted <= enough.deleted && last <= enough.created;
  });

/** Only the lives that differ, with all details, so that a failure is readable. */
export const strangeAmong = ({ undisturbed, disturbed }: Lives): readonly DisturbedLife[] =>
  disturbed.filter((life) => !isSparing(life, undisturbed) || !isDeepStrictEqual(fateOf(undisturbed), fateOf(life)));
