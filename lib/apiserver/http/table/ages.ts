import { humanDuration } from '#lib/apiserver/machinery/human-duration.ts';

/** How long ago a timestamp was; `<unknown>` without one, `<invalid>` for what is none. */
export const ageOf = (timestamp: unknown, nowMs: number): string => {
  if (typeof timestamp !== 'string' || timestamp === '') return '<unknown>';
  const then = Date.parse(timestamp);
  return Number.isNaN(then) ? '<invalid>' : humanDuration(nowMs - then);
};
