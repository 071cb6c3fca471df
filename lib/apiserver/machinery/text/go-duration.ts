import { goQuote } from './go-text.ts';

/** Milliseconds per unit. */
const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** 2^63 nanoseconds, in milliseconds. */
const LIMIT_MS = 2 ** 63 / 1e6;

/**
 * Parses a duration such as `1h30m`.
 *
 * @returns milliseconds, or the text of Go's error
 * @see https://pkg.go.dev/time#ParseDuration
 */
export const parseGoDuration = (text: string): number | string => {
  const unsigned = text.replace(/^[-+]/, '');
  const invalid = `time: invalid duration ${goQuote(text)}`;
  if (unsigned === '0') return 0;
  if (unsigned === '') return invalid;
  let [rest, total] = [unsigned, 0];
  while (rest !== '') {
    const [amount = ''] = /^\d*(?:\.\d*)?/.exec(rest) ?? [];
    if (!/\d/.test(amount)) return invalid;
    rest = rest.slice(amount.length);
    const [unit = ''] = /^[^.\d]*/.exec(rest) ?? [];
    if (unit === '') return `time: missing unit in duration ${goQuote(text)}`;
    const size = UNITS[unit];
    if (size === undefined) return `time: unknown unit ${goQuote(unit)} in duration ${goQuote(text)}`;
    rest = rest.slice(unit.length);
    total += Number(amount) * size;
    if (total >= LIMIT_MS) return invalid;
  }
  return text.startsWith('-') ? -total : total;
};
