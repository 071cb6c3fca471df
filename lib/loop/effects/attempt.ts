import type { Outcome } from '#lib/desired/observation.ts';
import type { Effect } from '#lib/desired/result/desired.ts';

/**
 * The result of one attempt of an effect. `again`: a later attempt may succeed, and this one counts; `undecided`: a later
 * attempt may succeed, without a limit; `failed`: no attempt can succeed.
 */
export type EffectAttempt =
  | { readonly result: 'succeeded'; readonly value: unknown }
  | {
      readonly result: 'again' | 'undecided' | 'failed';
      readonly reason: string;
      /** Details for the log alone. */
      readonly detail?: string;
    };

/** It may go better another time. */
export const again = (reason: string, detail?: string): EffectAttempt => ({
  result: 'again',
  reason,
  ...(detail !== undefined && { detail }),
});

/** It cannot go better. */
export const failedAttempt = (reason: string): EffectAttempt => ({ result: 'failed', reason });

/** One effect of one resource, from its request until its outcome has been counted. */
export interface EffectRecord {
  readonly effect: Effect;
  outcome: Outcome<unknown>;
  /** Tries so far. */
  attempts: number;
  /** Details of the last try that did not succeed, for the log alone. */
  detail: string | undefined;
  /** The last snapshot contained the outcome. */
  isShown: boolean;
  /** Its success was part of a pass whose status is written, and it was not requested since. */
  isCounted: boolean;
  /** Aborts the running attempt, or the wait for the next one. */
  readonly cancelled: AbortController;
}

/** Effects of both sorts may have the same key. */
export const effectId = ({ effect, key }: Pick<Effect, 'effect' | 'key'>): string => `${effect}:${key}`;

/** A newly requested effect. */
export const effectRecordOf = (effect: Effect): EffectRecord => ({
  effect,
  outcome: Object.freeze({ state: 'running' }),
  attempts: 0,
  detail: undefined,
  isShown: false,
  isCounted: false,
  cancelled: new AbortController(),
});
