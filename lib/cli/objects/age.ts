import { humanDuration } from '#lib/apiserver/machinery/text/human-duration.ts';

/**
 * Formats a duration as kubectl formats ages: `45s`, `3m20s`, `5h`, `2d3h`.
 *
 * @param ms - milliseconds; a negative value, caused by clock skew, counts as 0
 */
export const lasting = (ms: number): string => humanDuration(Math.max(0, ms));

/** The age of an object, from a timestamp of the API server; `<unknown>` if the timestamp is missing or invalid. */
export const ageOf = (time: unknown, now: number): string => {
  const then = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return Number.isNaN(then) ? '<unknown>' : lasting(now - then);
};
