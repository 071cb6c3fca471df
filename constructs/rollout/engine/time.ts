import { type Clock, type Instant, secondsBetween } from '#lib/desired/clock.ts';

/** Whole seconds from the present to an instant, rounded up so that nothing gets shorter; from 0 to `atMost`. */
export const secondsUntil = (at: Instant, { clock, atMost }: { readonly clock: Clock; readonly atMost: number }) => {
  const seconds = Math.ceil(secondsBetween(clock.now(), at));
  return Math.min(Math.max(seconds, 0), atMost);
};
