import { memberOf } from '#lib/json.ts';

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATE_TIME = /^(\d{4}-\d{2}-\d{2})[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/;
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const OCTET = '0*(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4 = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`);
/** Matches base64. The empty string does not match, as in IsBase64 of govalidator. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;

const isDate = (text: string): boolean => {
  const [, year, month, day] = DATE.exec(text)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined) return false;
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
};

/** The checks of formats, by the name of the format without dashes. The API server ignores dashes in these names, too. */
const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  date: isDate,
  datetime: (text) => isDate(DATE_TIME.exec(text)?.[1] ?? ''),
  uuid: (text) => UUID.test(text),
  ipv4: (text) => IPV4.test(text),
  byte: (text) => BASE64.test(text),
};

/**
 * Whether a string has the format. Every string passes a format that `FORMATS` does not contain; the API server checks more
 * formats.
 *
 * @see https://github.com/kubernetes/apiextensions-apiserver/blob/master/pkg/apiserver/validation/formats.go
 */
export const hasFormat = (format: string, text: string): boolean =>
  memberOf(FORMATS, format.replaceAll('-', ''))?.(text) ?? true;
