import { isIPv6 } from 'node:net';
import {
  isDns1123LabelText,
  isDns1123Subdomain,
  type StringCheck,
} from '#lib/apiserver/machinery/validation/content.ts';
import { isLeap } from '#lib/cel/time.ts';

/** Durations: the format of Go's `time.ParseDuration`, such as `1h30m`, and the format of Scala, such as `22 ns` or `3 days`. */
const GO_DURATION = /^[-+]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+)$/;
const LOOSE_DURATION =
  /\d+\s*(?:ns|us|\u00b5s|ms|s|m|h|hr|d|w|wk|(?:nano|micro|milli|sec|min|hour|day|week)[A-Za-z\u00b5]*)(?![A-Za-z\u00b5])/i;

const isDuration = (text: string): boolean => GO_DURATION.test(text) || LOOSE_DURATION.test(text);

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const daysIn = (year: number, month: number): number => (month === 2 && isLeap(year) ? 29 : (DAYS[month - 1] ?? 0));

const isDate = (text: string): boolean => {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined) return false;
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
};

const TIME = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/;

const isDateTime = (text: string): boolean => {
  const [date, time] = text.toLowerCase().split('t');
  const [, hour, minute, second] = TIME.exec(time ?? '') ?? [];
  if (date === undefined || hour === undefined || minute === undefined || second === undefined) return false;
  return isDate(date) && hour <= '23' && minute <= '59' && second <= '59';
};

const HOSTNAME =
  /^(?:[a-zA-Z0-9\p{S}\p{L}](?:-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?|(?:[a-zA-Z0-9\p{S}\p{L}](?:[a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?\.)+[a-zA-Z\p{L}]{2,63})$/u;

const bytes = (text: string): number => Buffer.byteLength(text);

const isHostname = (text: string): boolean =>
  bytes(text) <= 255 && text.split('.').every((label) => bytes(label) <= 63) && HOSTNAME.test(text);

/** Whether a text is an IPv4 address. Unlike newer parsers, this function accepts leading zeros in the four numbers. */
const isSloppyIPv4 = (text: string): boolean =>
  /^\d+(?:\.\d+){3}$/.test(text) && text.split('.').every((octet) => octet.length <= 10 && Number(octet) <= 255);

const isIPv4 = (text: string): boolean => isSloppyIPv4(text) || (text.includes('.') && isPlainIPv6(text));

const isPlainIPv6 = (text: string): boolean => !text.includes('%') && isIPv6(text);

const isCidr = (text: string): boolean => {
  const [, address, bits] = /^(.*)\/(\d{1,6})$/.exec(text) ?? [];
  if (address === undefined || bits === undefined) return false;
  if (isSloppyIPv4(address)) return Number(bits) <= 32;
  return isPlainIPv6(address) && Number(bits) <= 128;
};

const MAC = [
  /^[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5}(?:(?::[0-9a-fA-F]{2}){2}|(?::[0-9a-fA-F]{2}){14})?$/,
  /^[0-9a-fA-F]{2}(?:-[0-9a-fA-F]{2}){5}(?:(?:-[0-9a-fA-F]{2}){2}|(?:-[0-9a-fA-F]{2}){14})?$/,
  /^[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4}){2}(?:\.[0-9a-fA-F]{4}|(?:\.[0-9a-fA-F]{4}){7})?$/,
];

/** Whether `url.ParseRequestURI` of Go accepts a text: an absolute path, or a URL with a scheme. */
const isUri = (text: string): boolean => {
  if (/\p{Cc}/u.test(text) && !/[\x80-\x9f]/.test(text)) return false;
  if (/%(?![0-9a-fA-F]{2})/.test(text.replace(/\?.*/s, ''))) return false;
  if (text.startsWith('/') || text === '*') return true;
  return /^[A-Za-z][A-Za-z0-9+.-]*:/.test(text) && URL.canParse(text) && !/[ <>"]/.test(text.replace(/\?.*/s, ''));
};

const isEmail = (text: string): boolean =>
  /^(?:[^<>"@]*<)?\s*[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\uffff-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\uffff-]+)*@[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\uffff-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\uffff-]+)*\s*>?$/.test(
    text,
  );

const matching =
  (pattern: RegExp) =>
  (text: string): boolean =>
    pattern.test(text);

const passing =
  (check: StringCheck) =>
  (text: string): boolean =>
    check(text).length === 0;

const uuid = (pattern: string): ((text: string) => boolean) => matching(new RegExp(`^${pattern}$`, 'i'));

/**
 * The string formats that this server checks, by their names without dashes.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apiserver/validation/formats.go
 * @see k8s.io/kube-openapi pkg/validation/strfmt
 */
const CHECKS: Readonly<Record<string, (text: string) => boolean>> = {
  byte: matching(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/),
  cidr: isCidr,
  date: isDate,
  datetime: isDateTime,
  duration: isDuration,
  email: isEmail,
  hexcolor: matching(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  hostname: isHostname,
  ipv4: isIPv4,
  ipv6: (text) => isPlainIPv6(text),
  k8slongname: passing(isDns1123Subdomain),
  k8sshortname: passing(isDns1123LabelText),
  mac: (text) => MAC.some((pattern) => pattern.test(text)),
  password: () => true,
  ssn: (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  uri: isUri,
  uuid: uuid('[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}'),
  uuid3: uuid('[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}'),
  uuid4: uuid('[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}'),
  uuid5: uuid('[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}'),
};

/** Formats that only the real server checks. This server refuses CRDs with these formats. */
export const MISSING_FORMATS: ReadonlySet<string> = new Set([
  'bsonobjectid',
  'creditcard',
  'isbn',
  'isbn10',
  'isbn13',
  'rgbcolor',
]);

/** Returns the check of a string format; `undefined` for a format that this server does not check. */
export const formatCheck = (format: string): ((text: string) => boolean) | undefined => {
  const name = format.replaceAll('-', '');
  return Object.hasOwn(CHECKS, name) ? CHECKS[name] : undefined;
};
