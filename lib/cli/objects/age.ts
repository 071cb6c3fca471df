import { humanDuration } from '#lib/apiserver/machinery/human-duration.ts';

/**
 * How long something lasts, as kubectl writes ages: `45s`, `3m20s`, `5h`, `2d3h`.
 *
 * @param ms - milliseconds; below zero counts as none, as the clocks of two machines differ
 */
export const lasting = (ms: number): string => humanDuration(Math.max(0, ms));

/** How long ago something was, as the API server wrote it; `<unknown>` without a time. */
export const ageOf = (time: unknown, now: number): string => {
  const then = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return Number.isNaN(then) ? '<unknown>' : lasting(now - then);
};
