import { type Instant, instantOf, microsOf } from '#lib/desired/clock.ts';

/** So many seconds after an instant. */
export const after = (at: Instant, seconds: number): Instant => instantOf(microsOf(at) + seconds * 1_000_000);

/** Seconds from one instant to another; negative when the other comes first. */
export const secondsBetween = (from: Instant, to: Instant): number => (microsOf(to) - microsOf(from)) / 1_000_000;

/** The earlier of two instants. */
export const earlier = (a: Instant, b: Instant): Instant => (microsOf(a) <= microsOf(b) ? a : b);
