import { isDeepStrictEqual } from 'node:util';
import type { DryRunOutcome, HttpOutcome, Outcomes } from '#lib/desired/observation.ts';

/** An outcome that a function requested, and the answer. */
export interface AskedOutcome {
  readonly effect: keyof Outcomes;
  readonly key: string;
  readonly told: HttpOutcome | DryRunOutcome;
}

/** Outcomes, and which of them were requested. */
export interface TrackedOutcomes {
  readonly outcomes: Outcomes;
  readonly asked: readonly AskedOutcome[];
}

/** Records the requests of a function; a missing outcome is an answer, too. */
export const trackOutcomes = (outcomes: Outcomes): TrackedOutcomes => {
  const asked: AskedOutcome[] = [];
  const tell = <V extends AskedOutcome['told']>(effect: AskedOutcome['effect'], key: string, told: V): V => {
    asked.push({ effect, key, told });
    return told;
  };
  const tracked: Outcomes = {
    http: (key) => tell('http', key, outcomes.http(key)),
    dryRun: (key) => tell('dryRun', key, outcomes.dryRun(key)),
  };
  return { outcomes: Object.freeze(tracked), asked };
};

/** True when the answer would be the same again. */
export const isSameOutcome = ({ effect, key, told }: AskedOutcome, outcomes: Outcomes): boolean =>
  isDeepStrictEqual(outcomes[effect](key), told);
