import { isList, isMap, namesOf, own } from './value.ts';

/** How Go prints a number: `1e+06` for a float of a million, `1000000` for an integer. */
export type NumberText = (value: number) => string;

/** A number that was an integer in JSON. */
export const integerText: NumberText = (value) => (Number.isInteger(value) ? value.toFixed(0) : floatText(value));

/**
 * A number that Go holds as float64, printed with `%v`. Everything that was read from managed fields is one.
 *
 * @see https://pkg.go.dev/strconv#FormatFloat (format 'g' with the smallest precision)
 */
export const floatText: NumberText = (value) => {
  if (value === 0) return '0';
  const [mantissa = '', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 6) return Number.isInteger(value) ? value.toFixed(0) : String(value);
  const sign = exponent < 0 ? '-' : '+';
  return `${mantissa}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
};

const jsonEscapes: Readonly<Record<string, string>> = { '\\b': '\\u0008', '\\f': '\\u000c' };

/**
 * A scalar as Go's JSON encoder writes it: with `<`, `>`, `&` and line separators escaped.
 *
 * @see https://github.com/json-iterator/go (`ConfigCompatibleWithStandardLibrary`)
 */
export const goJson = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'null';
  if (!/[<>&\u2028\u2029\\]/.test(text)) return text;
  return text
    .replace(/\\./g, (escape) => jsonEscapes[escape] ?? escape)
    .replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
};

const shortEscapes: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
};

const escapeRune = (rune: string): string => {
  const short = shortEscapes[rune];
  if (short !== undefined) return short;
  const code = rune.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
};

/**
 * A text as Go's `%q` prints it.
 *
 * @see https://pkg.go.dev/strconv#Quote
 */
export const goQuote = (text: string): string =>
  `"${text.replace(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, escapeRune)}"`;

/** A JSON value as Go's `%v` prints it. */
export const goValue = (value: unknown): string => {
  if (typeof value === 'number') return integerText(value);
  if (isList(value)) return `[${value.map(goValue).join(' ')}]`;
  if (isMap(value)) {
    const members = namesOf(value).toSorted();
    return `map[${members.map((name) => `${name}:${goValue(own(value, name))}`).join(' ')}]`;
  }
  return typeof value === 'string' || typeof value === 'boolean' ? `${value}` : '<nil>';
};

/** A JSON value as Go's `%#v` prints it. */
export const goSyntax = (value: unknown): string => {
  if (typeof value === 'string') return goQuote(value);
  if (isList(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (isMap(value)) {
    const members = namesOf(value).toSorted();
    return `map[string]interface {}{${members.map((name) => `${goQuote(name)}:${goSyntax(own(value, name))}`).join(', ')}}`;
  }
  return value === null ? 'interface {}(nil)' : goValue(value);
};

/** The name of the Go type that a JSON value is decoded to, as `%T` prints it. */
export const goType = (value: unknown): string => {
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  if (isList(value)) return '[]interface {}';
  return isMap(value) ? 'map[string]interface {}' : '<nil>';
};
