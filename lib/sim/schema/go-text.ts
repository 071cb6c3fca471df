import { isPlainObject, membersOf } from '#lib/kind/json.ts';

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

const NEEDS_ESCAPE = /["\\]|[^\x20\p{L}\p{M}\p{N}\p{P}\p{S}]/gu;

const escaped = (character: string): string => {
  const short = SHORT_ESCAPES[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x20 || code === 0x7f) return `\\x${hex.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
};

/**
 * A string as Go's `%q` prints it.
 *
 * @see https://pkg.go.dev/strconv#Quote
 */
export const goQuote = (text: string): string => `"${text.replace(NEEDS_ESCAPE, escaped)}"`;

/** A number as Go's `%v` prints it: an integer as it is, a fraction with two digits in its exponent. */
export const goNumber = (value: number): string => {
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return String(BigInt(value));
  const small = value !== 0 && Math.abs(value) < 1e-4;
  const text = small ? value.toExponential() : String(value);
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
};

const jsonString = (text: string): string =>
  JSON.stringify(text).replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : Number(a > b);

/**
 * A value as Go's encoding/json writes it: members sorted by name, `<`, `>` and `&` escaped.
 *
 * @see https://pkg.go.dev/encoding/json#Marshal
 */
export const goJson = (value: unknown): string => {
  if (typeof value === 'string') return jsonString(value);
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`;
  if (!isPlainObject(value)) return JSON.stringify(value) ?? 'null';
  const members = membersOf(value).toSorted(byName);
  return `{${members.map(([name, member]) => `${jsonString(name)}:${goJson(member)}`).join(',')}}`;
};

/** A text that stands in a message as it is: a value that is no JSON, but a structure of the server. */
export class Verbatim {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A value as it stands in the message of a field error: numbers and flags plain, strings quoted, the rest as JSON. */
export const goValue = (value: unknown): string => {
  if (value instanceof Verbatim) return value.text;
  if (typeof value === 'string') return goQuote(value);
  return typeof value === 'number' ? goNumber(value) : goJson(value);
};
