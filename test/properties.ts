import { configureGlobal } from 'fast-check';

const FACTOR = 20;
const DEFAULT_RUNS = 100;

/**
 * How many cases a property is tried on: so many in `npm test`, twenty times as many in `npm run test:soak`.
 *
 * @param usual - for a property that wants more or fewer than the usual hundred
 */
export const runs = (usual: number): number => (process.env['SOAK'] === undefined ? usual : usual * FACTOR);

/** A failing property prints its seed; with it the same cases come again. */
const seed = process.env['FAST_CHECK_SEED'];

configureGlobal({ numRuns: runs(DEFAULT_RUNS), ...(seed !== undefined && { seed: Number(seed) }) });
