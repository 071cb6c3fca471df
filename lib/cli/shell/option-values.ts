import { durationMs } from '#lib/foresight/simulate/script/time-text.ts';
import { UsageError } from './report.ts';

type Range = readonly [min: number, max: number];

/**
 * Parses the value of an option that is a whole number.
 *
 * @param option - the option, such as `--seed`
 * @param range - the smallest and the largest allowed number. @default any
 * @throws {UsageError} for another value
 */
export const wholeNumberOf = (option: string, text: string, [min, max]: Range = [-Infinity, Infinity]): number => {
  const value = Number(text);
  if (text.trim() !== '' && Number.isSafeInteger(value) && value >= min && value <= max) return value;
  const allowed = min === -Infinity ? '' : max === Infinity ? `, ${min} or more` : `, ${min} to ${max}`;
  throw new UsageError(`${option} is "${text}"; it must be a whole number${allowed}`);
};

/**
 * Parses the value of an option that is a length of time.
 *
 * @returns milliseconds
 * @throws {UsageError} for another value, and for a time shorter than `minMs`
 */
export const lengthOfTimeOf = (option: string, text: string, minMs = 0): number => {
  const ms = durationMs(text);
  if (ms !== undefined && ms >= minMs) return ms;
  throw new UsageError(`${option} is "${text}"; it must be a length of time, such as 90s, 10m or 1h`);
};
