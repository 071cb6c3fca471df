import { type Clock, type Instant, secondsBetween } from '#lib/desired/clock.ts';

/** Whole seconds from now to an instant, from 0 to `atMost`. The seconds are rounded up, so that no wait becomes shorter. */
export const secondsUntil = (at: Instant, { clock, atMost }: { readonly clock: Clock; readonly atMost: number }) => {
  const seconds = Math.ceil(secondsBetween(clock.now(), at));
  return Math.min(Math.max(seconds, 0), atMost);
};
