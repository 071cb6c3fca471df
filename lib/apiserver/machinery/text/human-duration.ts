const SECOND = 1;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

const both = (seconds: number, unit: readonly [number, string], part: readonly [number, string]): string => {
  const rest = Math.floor((seconds % unit[0]) / part[0]);
  return `${Math.floor(seconds / unit[0])}${unit[1]}${rest === 0 ? '' : `${rest}${part[1]}`}`;
};

/**
 * Formats a duration briefly: `45s`, `3m20s`, `5h`, `2d3h`.
 *
 * @param ms - milliseconds; at minus two seconds and below, the result is `<invalid>`
 * @see k8s.io/apimachinery v0.36.4 pkg/util/duration/duration.go (`HumanDuration`)
 */
export const humanDuration = (ms: number): string => {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 2 * MINUTE) return `${seconds}s`;
  if (seconds < 10 * MINUTE) return both(seconds, [MINUTE, 'm'], [SECOND, 's']);
  if (seconds < 3 * HOUR) return `${Math.floor(seconds / MINUTE)}m`;
  if (seconds < 8 * HOUR) return both(seconds, [HOUR, 'h'], [MINUTE, 'm']);
  if (seconds < 2 * DAY) return `${Math.floor(seconds / HOUR)}h`;
  if (seconds < 8 * DAY) return both(seconds, [DAY, 'd'], [HOUR, 'h']);
  if (seconds < 2 * YEAR) return `${Math.floor(seconds / DAY)}d`;
  if (seconds < 8 * YEAR) return both(seconds, [YEAR, 'y'], [DAY, 'd']);
  return `${Math.floor(seconds / YEAR)}y`;
};
