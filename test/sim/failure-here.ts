import { type Failure, failureInWords } from '#lib/sim/explore/failure.ts';

/** A failure of a scenario of this repository, which `npm run replay` knows. */
export const failureHere = (failure: Failure): string =>
  `${failureInWords(failure)}\nor: npm run replay -- --scenario ${failure.scenario} --seed ${failure.seed}`;
