import { humanDuration } from '#lib/apiserver/machinery/text/human-duration.ts';

/** The age of a timestamp; `<unknown>` without a timestamp, `<invalid>` for a malformed one. */
export const ageCell = (timestamp: unknown, nowMs: number): string => {
  if (typeof timestamp !== 'string' || timestamp === '') return '<unknown>';
  const then = Date.parse(timestamp);
  return Number.isNaN(then) ? '<invalid>' : humanDuration(nowMs - then);
};
