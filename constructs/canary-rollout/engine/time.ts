import { type Clock, type Instant, instantOf, microsOf } from '#lib/desired/clock.ts';

const MICROS = 1_000_000;

/** The instant so many seconds after another. */
export const after = (at: Instant, seconds: number): Instant => instantOf(microsOf(at) + seconds * MICROS);

/** Whole seconds from the present to an instant, rounded up so that nothing gets shorter; from 0 to `atMost`. */
export const secondsUntil = (at: Instant, { clock, atMost }: { readonly clock: Clock; readonly atMost: number }) => {
  const seconds = Math.ceil((microsOf(at) - microsOf(clock.now())) / MICROS);
  return Math.min(Math.max(seconds, 0), atMost);
};
