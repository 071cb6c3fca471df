import { create } from '@bufbuild/protobuf';
import { type Duration, DurationSchema, type Timestamp, TimestampSchema } from '@bufbuild/protobuf/wkt';

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

const SECOND = 1_000_000_000n;

const toDuration = (nanos: bigint): Duration =>
  create(DurationSchema, { seconds: nanos / SECOND, nanos: Number(nanos % SECOND) });

const nanosOf = (number: string, unit: string): bigint => {
  const [whole = '', fraction = ''] = number.split('.');
  const scale = UNITS[unit] ?? 1n;
  const digits = fraction.slice(0, 18);
  return BigInt(whole || '0') * scale + (BigInt(digits || '0') * scale) / 10n ** BigInt(digits.length);
};

/** Parses a duration in Go's form, such as `1h30m`; `undefined` for any other text. */
export const durationOf = (text: string): Duration | undefined => {
  if (/^[-+]?0$/.test(text)) return toDuration(0n);
  if (!/^[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(text)) return undefined;
  let nanos = 0n;
  for (const [, number = '', unit = ''] of text.matchAll(/([\d.]+)(ns|us|µs|μs|ms|s|m|h)/g))
    nanos += nanosOf(number, unit);
  return toDuration(text.startsWith('-') ? -nanos : nanos);
};

const DAYS_BEFORE = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

/** Whether a year is a leap year in the Gregorian calendar. */
export const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

const daysInYears = (years: number): number =>
  years * 365 + Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);

const dayNumber = (year: number, month: number, day: number): number => {
  const leap = month > 2 && isLeap(year) ? 1 : 0;
  return daysInYears(year - 1) - daysInYears(1969) + (DAYS_BEFORE[month - 1] ?? 0) + leap + day - 1;
};

const TIME = /^(\d{4})-(\d{2})-(\d{2})(?:[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2})))?$/;

const offsetSeconds = (sign: string | undefined, hours = '0', minutes = '0'): number =>
  (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60);

/** Parses an RFC 3339 time or a date; `undefined` for any other text. */
export const timestampOf = (text: string): Timestamp | undefined => {
  const parts = TIME.exec(text);
  if (parts === null) return undefined;
  const [, year, month, day, hour = 0, minute = 0, second = 0] = parts.map(Number);
  if (year === undefined || month === undefined || day === undefined) return undefined;
  if (month < 1 || month > 12 || day < 1 || day > 31 || !(Number(parts[4] ?? 0) < 24)) return undefined;
  const days = dayNumber(year, month, day);
  const clock =
    parts[4] === undefined ? 0 : hour * 3600 + minute * 60 + second - offsetSeconds(parts[8], parts[9], parts[10]);
  const nanos = Number((parts[7] ?? '').padEnd(9, '0').slice(0, 9));
  return create(TimestampSchema, { seconds: BigInt(days) * 86_400n + BigInt(clock), nanos });
};
