const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Two units, the smaller one left out where it is 0. */
const two = (ms: number, [large, small]: readonly [readonly [number, string], readonly [number, string]]): string => {
  const whole = Math.floor(ms / large[0]);
  const rest = Math.floor((ms % large[0]) / small[0]);
  return rest === 0 ? `${whole}${large[1]}` : `${whole}${large[1]}${rest}${small[1]}`;
};

/**
 * How long something lasts, as kubectl writes ages: `45s`, `3m20s`, `5h`, `2d3h`.
 *
 * @param ms - milliseconds; below zero counts as none
 * @see https://github.com/kubernetes/kubernetes/blob/master/staging/src/k8s.io/apimachinery/pkg/util/duration/duration.go (HumanDuration)
 */
export const lasting = (ms: number): string => {
  if (ms < 2 * MINUTE) return `${Math.max(0, Math.floor(ms / SECOND))}s`;
  if (ms < 10 * MINUTE)
    return two(ms, [
      [MINUTE, 'm'],
      [SECOND, 's'],
    ]);
  if (ms < 3 * HOUR) return `${Math.floor(ms / MINUTE)}m`;
  if (ms < 8 * HOUR)
    return two(ms, [
      [HOUR, 'h'],
      [MINUTE, 'm'],
    ]);
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)}h`;
  if (ms < 8 * DAY)
    return two(ms, [
      [DAY, 'd'],
      [HOUR, 'h'],
    ]);
  return `${Math.floor(ms / DAY)}d`;
};

/** How long ago something was, as the API server wrote it; `<unknown>` without a time. */
export const ageOf = (time: unknown, now: number): string => {
  const then = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return Number.isNaN(then) ? '<unknown>' : lasting(now - then);
};
