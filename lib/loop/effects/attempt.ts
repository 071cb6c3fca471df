import type { Outcome } from '#lib/desired/observation.ts';
import type { Effect } from '#lib/desired/result/desired.ts';

/**
 * The result of one attempt of an effect. `again`: a later attempt may succeed, and the number of attempts is limited.
 * `undecided`: the same, but without a limit. `failed`: no attempt can succeed.
 */
export type EffectAttempt =
  | { readonly result: 'succeeded'; readonly value: unknown }
  | {
      readonly result: 'again' | 'undecided' | 'failed';
      readonly reason: string;
      /** Details for the log; the status does not show them. */
      readonly detail?: string;
    };

const unsuccessful =
  (result: 'again' | 'failed') =>
  (reason: string, detail?: string): EffectAttempt => ({ result, reason, ...(detail !== undefined && { detail }) });

/** The result of a failed attempt, when a later attempt may succeed. */
export const again = unsuccessful('again');

/** The result of a failed attempt, when no later attempt can succeed. */
export const failedAttempt = unsuccessful('failed');

/** The state of one effect of one resource, from the request of the function until the outcome is dropped. */
export interface EffectRecord {
  readonly effect: Effect;
  outcome: Outcome<unknown>;
  attempts: number;
  /** Details of the last failed attempt, for the log; the status does not show them. */
  detail: string | undefined;
  /** Whether the effect had ended when the last snapshot was taken. */
  isShown: boolean;
  /** Whether a pass that read the success has written its status, and no later pass requested the effect. */
  isCounted: boolean;
  /** Aborts the running attempt, or the delay before the next attempt. */
  readonly cancelled: AbortController;
}

/**
 * The identity of an effect in its resource. The type is part of the identity, because an HTTP call and a dry run may have the
 * same key.
 */
export const effectId = ({ effect, key }: Pick<Effect, 'effect' | 'key'>): string => `${effect}:${key}`;

/** The record of a newly requested effect. */
export const effectRecordOf = (effect: Effect): EffectRecord => ({
  effect,
  outcome: Object.freeze({ state: 'running' }),
  attempts: 0,
  detail: undefined,
  isShown: false,
  isCounted: false,
  cancelled: new AbortController(),
});
