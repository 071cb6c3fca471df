import { parseGoDuration } from '#lib/apiserver/machinery/text/go-duration.ts';
import { goQuote } from '#lib/apiserver/machinery/text/go-text.ts';

/** One field of a schedule, such as the minute, and the values at which the schedule is due. */
export interface CronField {
  readonly values: ReadonlySet<number>;
  /** Whether the field contains `*` or `?`, without a step above 1. */
  readonly isAny: boolean;
}

/** A schedule of a CronJob: times on a calendar, or a constant delay. */
export type CronSchedule =
  | {
      readonly minute: CronField;
      readonly hour: CronField;
      readonly dayOfMonth: CronField;
      readonly month: CronField;
      readonly dayOfWeek: CronField;
      /** The time zone that the text of the schedule names. @default `spec.timeZone` of the CronJob, or else UTC */
      readonly timeZone?: string;
    }
  | { readonly everyMs: number };

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const BOUNDS = {
  minute: { min: 0, max: 59 },
  hour: { min: 0, max: 23 },
  dayOfMonth: { min: 1, max: 31 },
  month: { min: 1, max: 12, names: 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ') },
  dayOfWeek: { min: 0, max: 6, names: 'sun mon tue wed thu fri sat'.split(' ') },
} as const satisfies Record<string, Bounds>;

const DESCRIPTORS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

const MAX_INT64 = 2n ** 63n - 1n;

class WrongSchedule extends Error {}

const refuse = (text: string): never => {
  throw new WrongSchedule(text);
};

/** @see https://pkg.go.dev/strconv#Atoi */
const parseInteger = (text: string): number => {
  const refuseInteger = (problem: string): never =>
    refuse(`failed to parse int from ${text}: strconv.Atoi: parsing ${goQuote(text)}: ${problem}`);
  if (!/^[-+]?\d+$/.test(text)) return refuseInteger('invalid syntax');
  const value = BigInt(text.replace(/^\+/, ''));
  if (value > MAX_INT64 || value < -MAX_INT64 - 1n) return refuseInteger('value out of range');
  return value < 0n ? refuse(`negative number (${value}) not allowed: ${text}`) : Number(value);
};

const parseValue = (text: string, { names = [], min }: Bounds): number => {
  const position = names.indexOf(text.toLowerCase());
  return position < 0 ? parseInteger(text) : position + min;
};

const checkRange = (
  expression: string,
  { start, end, step }: Record<'start' | 'end' | 'step', number>,
  bounds: Bounds,
): void => {
  const { min, max } = bounds;
  if (start < min) refuse(`beginning of range (${start}) below minimum (${min}): ${expression}`);
  if (end > max) refuse(`end of range (${end}) above maximum (${max}): ${expression}`);
  if (start > end) refuse(`beginning of range (${start}) beyond end of range (${end}): ${expression}`);
  if (step === 0) refuse(`step of range should be a positive number: ${expression}`);
};

const parseRange = (expression: string, bounds: Bounds): CronField => {
  const [range = '', stepText, ...moreSteps] = expression.split('/');
  const [low = '', high, ...more] = range.split('-');
  const isAny = low === '*' || low === '?';
  const start = isAny ? bounds.min : parseValue(low, bounds);
  let end = isAny ? bounds.max : start;
  if (!isAny && more.length > 0) refuse(`too many hyphens: ${expression}`);
  if (!isAny && high !== undefined) end = parseValue(high, bounds);
  if (moreSteps.length > 0) refuse(`too many slashes: ${expression}`);
  const step = stepText === undefined ? 1 : parseInteger(stepText);
  // As a minute, `5/10` means `5-59/10`.
  if (stepText !== undefined && high === undefined) end = bounds.max;
  checkRange(expression, { start, end, step }, bounds);
  const values = new Set<number>();
  for (let value = start; value <= end; value += step) values.add(value);
  return { values, isAny: isAny && step === 1 };
};

const parseField = (text: string, bounds: Bounds): CronField => {
  const ranges = text.split(',').filter((part) => part !== '');
  const parsed = ranges.map((range) => parseRange(range, bounds));
  return {
    values: new Set(parsed.flatMap(({ values }) => [...values])),
    isAny: parsed.some(({ isAny }) => isAny),
  };
};

const parseFields = (text: string): CronSchedule => {
  const fields = text.split(/\s+/).filter((field) => field !== '');
  if (fields.length !== 5) refuse(`expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`);
  const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = ''] = fields;
  return {
    minute: parseField(minute, BOUNDS.minute),
    hour: parseField(hour, BOUNDS.hour),
    dayOfMonth: parseField(dayOfMonth, BOUNDS.dayOfMonth),
    month: parseField(month, BOUNDS.month),
    dayOfWeek: parseField(dayOfWeek, BOUNDS.dayOfWeek),
  };
};

const parseDescriptor = (text: string): CronSchedule => {
  const fields = DESCRIPTORS[text];
  if (fields !== undefined) return parseFields(fields);
  const prefix = '@every ';
  if (!text.startsWith(prefix)) return refuse(`unrecognized descriptor: ${text}`);
  const everyMs = parseGoDuration(text.slice(prefix.length));
  if (typeof everyMs === 'string') return refuse(`failed to parse duration ${text}: ${everyMs}`);
  return { everyMs: Math.max(1000, Math.floor(everyMs / 1000) * 1000) };
};

/**
 * Returns the error of Go for a name that is not a time zone; undefined for a time zone.
 *
 * @see https://pkg.go.dev/time#LoadLocation
 */
export const timeZoneProblem = (name: string): string | undefined => {
  const unknown = `unknown time zone ${name}`;
  if (name === '' || name === 'UTC' || name === 'Local') return undefined;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    const isOffset = /^[-+]/.test(name);
    // Go finds a time zone by the name of its file, which is case-sensitive. Names of time zones in JavaScript are not.
    const isMisspelt = timeZone !== name && timeZone.toLowerCase() === name.toLowerCase();
    return isOffset || isMisspelt ? unknown : undefined;
  } catch {
    return unknown;
  }
};

const parseTimes = (text: string): CronSchedule => (text.startsWith('@') ? parseDescriptor(text) : parseFields(text));

const parse = (text: string): CronSchedule => {
  if (text === '') return refuse('empty spec string');
  const [zone] = /^(?:CRON_)?TZ=/.exec(text) ?? [];
  if (zone === undefined) return parseTimes(text);
  const end = text.indexOf(' ');
  // The library of the real server panics here, and the message contains the text of the panic.
  if (end < 0) return refuse('invalid schedule format: runtime error: slice bounds out of range [:-1]');
  const timeZone = text.slice(zone.length, end);
  const problem = timeZoneProblem(timeZone);
  if (problem !== undefined) return refuse(`provided bad location ${timeZone}: ${problem}`);
  const schedule = parseTimes(text.slice(end).trim());
  return 'everyMs' in schedule ? schedule : { ...schedule, timeZone: timeZone === '' ? 'UTC' : timeZone };
};

/**
 * Parses the schedule of a CronJob.
 *
 * @returns the schedule, or the reason why the text is not a schedule
 * @see github.com/robfig/cron v3.0.1 parser.go (`ParseStandard`)
 */
export const parseCronSchedule = (text: string): CronSchedule | string => {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof WrongSchedule) return error.message;
    throw error;
  }
};
