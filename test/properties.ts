import { configureGlobal } from 'fast-check';

const FACTOR = 20;
const DEFAULT_RUNS = 100;

/**
 * How many cases a property is tried on: so many in `npm test`, twenty times as many in `npm run test:soak`.
 *
 * @param usual - for a property that wants more or fewer than the usual hundred
 */
export const runs = (usual: number): number => (process.env['SOAK'] === undefined ? usual : usual * FACTOR);

/** In `npm test` the cases are the same every time, so that nobody meets a failure that is not of their making. */
const FIXED_SEED = 20_260;

/**
 * Where the cases of properties come from: `FAST_CHECK_SEED` if it is set (a failing property prints its seed), the same
 * ones every time in `npm test`, and others every time in `npm run test:soak`.
 */
const seedOption = ({ FAST_CHECK_SEED: asked, SOAK: soak } = process.env): { readonly seed?: number } => {
  if (asked !== undefined) return { seed: Number(asked) };
  return soak === undefined ? { seed: FIXED_SEED } : {};
};

configureGlobal({ numRuns: runs(DEFAULT_RUNS), ...seedOption() });
