import { isDeepStrictEqual } from 'node:util';
import type { DryRunOutcome, HttpOutcome, Outcomes } from '#lib/desired/observation.ts';

/** An outcome that a function read: the type of the effect, the key, and the value that the function received. */
export interface AskedOutcome {
  readonly effect: keyof Outcomes;
  readonly key: string;
  readonly told: HttpOutcome | DryRunOutcome;
}

/** The outcomes of effects, and the record of which outcomes the function read. */
export interface TrackedOutcomes {
  readonly outcomes: Outcomes;
  readonly asked: readonly AskedOutcome[];
}

/** Wraps outcomes so that each read by a function is recorded, also the read of a missing outcome. */
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

/** Whether a read of the same outcome from `outcomes` has an equal result. */
export const isSameOutcome = ({ effect, key, told }: AskedOutcome, outcomes: Outcomes): boolean =>
  isDeepStrictEqual(outcomes[effect](key), told);
