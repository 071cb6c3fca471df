import type { Effect } from '#lib/desired/desired.ts';
import type { Outcome } from '#lib/desired/observation.ts';

/** One effect of one resource, from its request until its outcome has been counted. */
export interface EffectRecord {
  readonly effect: Effect;
  outcome: Outcome<unknown>;
  /** Tries so far. */
  attempts: number;
  /** The last snapshot showed how it ended. */
  isShown: boolean;
  /** Its success was shown to a pass whose status is written, and not asked for since. */
  isCounted: boolean;
  /** Ends what is under way or waits for its next try. */
  readonly cancelled: AbortController;
}

/** Effects of both sorts may have the same key. */
export const effectId = ({ effect, key }: Pick<Effect, 'effect' | 'key'>): string => `${effect}:${key}`;

/** An effect that was asked for just now. */
export const recordOf = (effect: Effect): EffectRecord => ({
  effect,
  outcome: Object.freeze({ state: 'running' }),
  attempts: 0,
  isShown: false,
  isCounted: false,
  cancelled: new AbortController(),
});
