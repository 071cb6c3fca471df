import { type ScalarCodec, WrongType, wrongGoType } from './wrong-type.ts';

/** A part of a layout: its form in Go, and the text that it matches. */
type Part = readonly [layout: string, pattern: RegExp];

const date: readonly Part[] = [
  ['2006', /^\d{4}/],
  ['-', /^-/],
  ['01', /^\d{2}/],
  ['-', /^-/],
  ['02', /^\d{2}/],
  ['T', /^T/],
  ['15', /^\d{2}/],
  [':', /^:/],
  ['04', /^\d{2}/],
  [':', /^:/],
];

const zone: Part = ['Z07:00', /^(?:Z|[+-]\d{2}:\d{2})/];

/** RFC 3339; the seconds may have a fraction of any length. */
const secondsLayout: readonly Part[] = [...date, ['05', /^\d{2}(?:[.,]\d+)?/], zone];

/** RFC 3339; the seconds have exactly six fractional digits. */
const microLayout: readonly Part[] = [...date, ['05', /^\d{2}/], ['.000000', /^\.\d{6}/], zone];

const fail = (text: string, why: string): never => {
  throw new WrongType(`parsing time ${JSON.stringify(text)}${why}`, '');
};

const layoutText = (layout: readonly Part[]): string => layout.map(([part]) => part).join('');

/** @see https://pkg.go.dev/time#Parse */
const checkLayout = (text: string, layout: readonly Part[]): void => {
  let rest = text;
  for (const [part, pattern] of layout) {
    const [found] = pattern.exec(rest) ?? [];
    if (found === undefined) {
      fail(text, ` as "${layoutText(layout)}": cannot parse ${JSON.stringify(rest)} as "${part}"`);
      return;
    }
    rest = rest.slice(found.length);
  }
  if (rest !== '') fail(text, `: extra text: ${JSON.stringify(rest)}`);
};

const ranges = [
  ['month', 5, 1, 12],
  ['hour', 11, 0, 23],
  ['minute', 14, 0, 59],
  ['second', 17, 0, 59],
] as const;

const checkRanges = (text: string): void => {
  for (const [name, at, low, high] of ranges) {
    const value = Number(text.slice(at, at + 2));
    if (value < low || value > high) fail(text, `: ${name} out of range`);
  }
  const [year, month, day] = [text.slice(0, 4), text.slice(5, 7), text.slice(8, 10)].map(Number);
  const daysInMonth = new Date(Date.UTC(year ?? 0, month ?? 0, 0)).getUTCDate();
  if (day === undefined || day < 1 || day > daysInMonth) fail(text, ': day out of range');
};

/** The last canonical time that was read. Successive times are often equal, and need no second check. */
let lastWhole = '';

const textOf = (value: unknown): string => {
  if (typeof value !== 'string') throw wrongGoType(value, 'string');
  return value;
};

const read = (value: string, layout: readonly Part[]): string => {
  checkLayout(value, layout);
  checkRanges(value);
  const milliseconds = Date.parse(value.replace(/[.,]\d+/, ''));
  return new Date(milliseconds).toISOString().slice(0, -5);
};

/** Reads a time, and writes it in whole seconds, in UTC. */
export const timeCodec: ScalarCodec = (value) => {
  if (value === lastWhole) return value;
  const whole = `${read(textOf(value), secondsLayout)}Z`;
  if (whole === value) lastWhole = value;
  return whole;
};

/** Reads a time with microseconds, and writes it in UTC. */
export const microTime: ScalarCodec = (value) => {
  const text = textOf(value);
  const seconds = read(text, microLayout);
  return `${seconds}${/\.\d{6}/.exec(text)?.[0] ?? ''}Z`;
};
