import { isPlainObject, membersOf } from '#lib/json.ts';
import { byText } from './order.ts';

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
 * Prints a string like Go's `%q`.
 *
 * @see https://pkg.go.dev/strconv#Quote
 */
export const goQuote = (text: string): string => `"${text.replace(NEEDS_ESCAPE, escaped)}"`;

/**
 * Prints a float64 like Go's `%v`: `1e+06` for a million.
 *
 * @see https://pkg.go.dev/strconv#FormatFloat (format 'g' with the smallest precision)
 */
export const goFloat = (value: number): string => {
  if (value === 0) return '0';
  const [mantissa = '', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 6) return Number.isInteger(value) ? value.toFixed(0) : String(value);
  const sign = exponent < 0 ? '-' : '+';
  return `${mantissa}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
};

/**
 * Prints a JSON number as Go's `%v` does. Whole numbers have no exponent, such as `1000000`, because Go decodes them as integers.
 */
export const goNumber = (value: number): string => (Number.isInteger(value) ? value.toFixed(0) : goFloat(value));

const jsonString = (text: string): string =>
  JSON.stringify(text).replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * Encodes a value like Go's encoding/json: members sorted by name, `<`, `>` and `&` escaped.
 *
 * @see https://pkg.go.dev/encoding/json#Marshal
 */
export const goJson = (value: unknown): string => {
  if (typeof value === 'string') return jsonString(value);
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`;
  if (!isPlainObject(value)) return JSON.stringify(value) ?? 'null';
  const members = membersOf(value).toSorted(([a], [b]) => byText(a, b));
  return `{${members.map(([name, member]) => `${jsonString(name)}:${goJson(member)}`).join(',')}}`;
};

const structText = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(structText).join(',')}]`;
  if (!isPlainObject(value)) return goJson(value);
  return `{${membersOf(value)
    .map(([name, member]) => `${jsonString(name)}:${structText(member)}`)
    .join(',')}}`;
};

/** A text that messages contain without quotes or escapes, such as a printed Go struct. */
export class Verbatim {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Formats the value of a field error: numbers and booleans plain, strings quoted, a {@link Verbatim} as its text, all others as
 * JSON.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/util/validation/field/errors.go (`ErrorBody`)
 */
export const goValue = (value: unknown): string => {
  if (value instanceof Verbatim) return value.text;
  if (typeof value === 'string') return goQuote(value);
  return typeof value === 'number' ? goNumber(value) : goJson(value);
};

/**
 * Formats a value that is a struct in Go. Messages list the members in the order of the Go declaration, so `value` must have this
 * order.
 */
export const goStruct = (value: unknown): Verbatim => new Verbatim(structText(value));

/**
 * Joins distinct errors, as in `[a, b]`; a single error has no brackets.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/util/errors/errors.go (`Aggregate`)
 */
export const aggregateText = (texts: readonly string[]): string => {
  const distinct = [...new Set(texts)];
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
};

/** Returns the name of a JSON type in errors of Go's decoder: `cannot unmarshal array into …`. */
export const jsonTypeOf = (value: unknown): string => {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
};

/** The place into which Go could not decode a JSON value. */
export interface GoPlace {
  /** The Go type of the place, such as `[]string`. */
  readonly type: string;
  /** The field, such as `ObjectMeta.labels`. @default the whole value */
  readonly field?: string | undefined;
}

/**
 * Returns the error of Go's decoder for a value of a wrong type.
 *
 * @param found - the value in words, such as `array` or `number 1.5`
 */
export const unmarshalError = (found: string, { type, field }: GoPlace): string =>
  `json: cannot unmarshal ${found} into Go ${field === undefined ? 'value' : `struct field ${field}`} of type ${type}`;
