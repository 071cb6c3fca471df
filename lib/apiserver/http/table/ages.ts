import { humanDuration } from '#lib/apiserver/machinery/text/human-duration.ts';

/**
 * Formats the age of a timestamp: `<unknown>` without a timestamp, `<invalid>` for a malformed timestamp or one that is at least
 * two seconds in the future.
 */
export const ageCell = (timestamp: unknown, nowMs: number): string => {
  if (typeof timestamp !== 'string' || timestamp === '') return '<unknown>';
  const then = Date.parse(timestamp);
  return Number.isNaN(then) ? '<invalid>' : humanDuration(nowMs - then);
};
