const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const PART = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g;
const WHOLE = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;

/**
 * Parses a duration of a script: `90s`, `2m30s`, `1.5h`, or a number of seconds.
 *
 * @returns milliseconds; `undefined` for an invalid duration
 */
export const durationMs = (value: unknown): number | undefined => {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? Math.round(value * 1000) : undefined;
  if (typeof value !== 'string' || !WHOLE.test(value)) return undefined;
  let sum = 0;
  for (const [, count, unit = ''] of value.matchAll(PART)) sum += Number(count) * (UNIT_MS[unit] ?? 0);
  return Math.round(sum);
};

/** Formats a duration: `90 s`, `2 m 30 s`, `3 h`, `450 ms`. */
export const durationText = (ms: number): string => {
  if (ms > 0 && ms < 1000) return `${ms} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor((seconds % 3600) / 60), 'm'],
    [seconds % 60, 's'],
  ] as const;
  const said = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`);
  return said.join(' ');
};

const two = (count: number): string => String(count).padStart(2, '0');

/** Formats a time since the start: `0:02:30`. */
export const clockText = (ms: number): string => {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 3600)}:${two(Math.floor((seconds % 3600) / 60))}:${two(seconds % 60)}`;
};
