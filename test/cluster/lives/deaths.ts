import { expect } from 'vitest';
import type { CrashedLife } from './crash.ts';
import type { Lives } from './schedule.ts';

/** How often the operators of the lives with repeated crashes were killed. */
export const repeatedDeaths = ({ disturbed }: Lives): number =>
  disturbed.filter(({ onlyCall }) => onlyCall === undefined).reduce((sum, { kills }) => sum + kills, 0);

/**
 * The calls of a life that create and delete its children. Timing may add or remove a write of a status, so that the last calls
 * of the undisturbed life are missing in a disturbed one. These calls remain.
 */
const necessaryCalls = ({ done }: CrashedLife): number =>
  Object.values(done).reduce((sum, { created, deleted }) => sum + created + deleted, 0);

/** Expects that the operator was killed in each life with one crash, and that enough of these lives reached their call. */
export const expectOneDeathEach = ({ undisturbed, disturbed }: Lives): void => {
  // A life with a call after the one at which the operator is killed. A shorter life may end before this call.
  const reached = disturbed.filter(({ onlyCall = Infinity, mutations }) => mutations.length > onlyCall);
  expect(reached.filter(({ kills }) => kills !== 1)).toEqual([]);
  expect(reached.length).toBeGreaterThanOrEqual(2 * necessaryCalls(undisturbed));
};
