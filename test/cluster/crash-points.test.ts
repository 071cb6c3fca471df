import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle } from '#test/control-plane/install.ts';
import { type CrashedLife, type CrashRig, startCrashRig } from './lives/crash.ts';
import { deletePodSet, podSetLife } from './lives/pod-set-life.ts';

/** How many lives are lived at a time: each is an operator process, and most of its time is waiting. */
const LANES = 4;

let plane: ControlPlane;
let rig: CrashRig;
let undisturbed: CrashedLife;

// No scheduler and no kwok: pods stay Pending, so the requests of two lives are the same.
beforeAll(async () => {
  plane = await startControlPlane({ scheduler: false, kwok: false });
  await installBundle(plane);
  rig = await startCrashRig(plane);
  undisturbed = await rig.live(podSetLife, () => undefined, byDeletion);
});

afterAll(async () => {
  await rig?.[Symbol.asyncDispose]();
  await plane?.stop();
});

const byDeletion = (namespace: string): Promise<void> => deletePodSet({ plane, namespace });

/** All that a kill must not change. */
const fateOf = ({ endState, survivors, populations }: CrashedLife): object => ({ endState, survivors, populations });

/**
 * Nothing was created or deleted that need not have been. It may look like less: requests beside the one that the process
 * dies of are cut as well, and the API server does not record what became of those as successes.
 */
const isSparing = ({ created, deleted }: CrashedLife): boolean =>
  created <= undisturbed.created && deleted <= undisturbed.deleted;

const inLanes = async <T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = [];
  const queue = items.entries();
  const lane = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return results;
};

describe('a PodSet whose operator is killed with SIGKILL', () => {
  it('creates, scales, replaces and ends with two pods when nothing is killed', () => {
    expect(undisturbed.populations).toEqual([3, 5, 5, 5, 5, 2]);
    expect(undisturbed.survivors).toEqual([0, 3, 4, 4, 5, 2]);
    expect(undisturbed).toMatchObject({ kills: 0, created: 7, deleted: 4 });
  });

  it('has the same fate when the operator dies once, before or after any call that changes something', async () => {
    const points = undisturbed.mutations.flatMap((what, index) =>
      (['before', 'after'] as const).map((when) => ({ what, when, nth: index + 1 })),
    );
    const fates = await inLanes(points, async ({ nth, when }) =>
      rig.live(podSetLife, (mutation) => (mutation === nth ? when : undefined), byDeletion),
    );
    // After its last call a life may be over sooner than its operator.
    const reached = fates.filter(({ mutations }, index) => mutations.length > (points[index]?.nth ?? 0));
    expect(reached.filter(({ kills }) => kills !== 1)).toEqual([]);
    // A status that is written once more or less, as time goes, moves the last points; never so many that a child is left out.
    expect(reached.length).toBeGreaterThanOrEqual(2 * (undisturbed.created + undisturbed.deleted));
    expect(fates.filter((life) => !isSparing(life))).toEqual([]);
    const strange = fates.map((life, index) => ({ point: points[index], ...fateOf(life) }));
    // Only those that differ, so that a failure can be read.
    expect(strange.filter((life) => !isDeepStrictEqual({ point: life.point, ...fateOf(undisturbed) }, life))).toEqual(
      [],
    );
  }, 900_000);

  it('has the same fate when the operator dies at every call that changes something, by turns before and after', async () => {
    const life = await rig.live(podSetLife, (mutation) => (mutation % 2 === 1 ? 'before' : 'after'), byDeletion);
    // Not twice as often: calls that overlap die with one process.
    expect(life.kills).toBeGreaterThanOrEqual(undisturbed.mutations.length);
    expect(fateOf(life)).toEqual(fateOf(undisturbed));
    expect([life.created, life.deleted, isSparing(life)]).toEqual([life.created, life.deleted, true]);
  }, 900_000);
});
