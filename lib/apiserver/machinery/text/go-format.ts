import { isPlainObject, type JsonObject, membersOf } from '#lib/json.ts';
import { goNumber, goQuote } from './go-text.ts';
import { byText } from './order.ts';

const sortedMembers = (object: JsonObject): [name: string, value: unknown][] =>
  membersOf(object).toSorted(([a], [b]) => byText(a, b));

/** Prints a JSON value like Go's `%v`. */
export const goPlain = (value: unknown): string => {
  if (typeof value === 'number') return goNumber(value);
  if (Array.isArray(value)) return `[${value.map(goPlain).join(' ')}]`;
  if (isPlainObject(value)) {
    return `map[${sortedMembers(value)
      .map(([name, member]) => `${name}:${goPlain(member)}`)
      .join(' ')}]`;
  }
  return typeof value === 'string' || typeof value === 'boolean' ? `${value}` : '<nil>';
};

/** Prints a JSON value like Go's `%#v`. */
export const goSyntax = (value: unknown): string => {
  if (typeof value === 'string') return goQuote(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (isPlainObject(value)) {
    const members = sortedMembers(value).map(([name, member]) => `${goQuote(name)}:${goSyntax(member)}`);
    return `map[string]interface {}{${members.join(', ')}}`;
  }
  return value === null ? 'interface {}(nil)' : goPlain(value);
};

/** Whether the server reads a number as a 64-bit integer. */
export const isInteger = (value: number): boolean => Number.isInteger(value) && Math.abs(value) <= 2 ** 63;

/** Returns the name of the Go type to which a JSON value is decoded, in the format `%T`. */
export const goType = (value: unknown): string => {
  if (typeof value === 'number') return isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  if (Array.isArray(value)) return '[]interface {}';
  return isPlainObject(value) ? 'map[string]interface {}' : '<nil>';
};
