import { configureGlobal } from 'fast-check';
import { casesNow, readCaseRange } from './cases.ts';

const FACTOR = 20;
const DEFAULT_RUNS = 100;

/**
 * Number of cases of a property in `npm test`; `npm run test:soak` runs twenty times as many.
 *
 * @param usual - for a property that needs more or fewer than the usual hundred
 */
export const runs = (usual: number): number => casesNow({ usual, soak: usual * FACTOR }).count;

/** In `npm test` the cases are the same every time, so that a change fails only for causes of its own. */
const FIXED_SEED = 20_260;

/**
 * The seed of properties: `FAST_CHECK_SEED` if it is set (a failing property prints its seed), the first case of `CASES`, a
 * constant in `npm test`, a random one in `npm run test:soak`.
 */
const seedOption = ({ FAST_CHECK_SEED: asked, SOAK: soak } = process.env): { readonly seed?: number } => {
  if (asked !== undefined) return { seed: Number(asked) };
  const range = readCaseRange();
  if (range !== undefined) return { seed: range.first };
  return soak === undefined ? { seed: FIXED_SEED } : {};
};

configureGlobal({ numRuns: runs(DEFAULT_RUNS), ...seedOption() });
