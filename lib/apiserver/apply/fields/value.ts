import { Buffer } from 'node:buffer';
import { type JsonObject, memberOf } from '#lib/json.ts';

/** Whether a JSON value is an object. */
export const isMap = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a JSON value is an array. */
export const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** Returns the names of an object's members. A member with the value undefined counts as absent, as in JSON. */
export const memberNames = (map: JsonObject): string[] => {
  const names = Object.keys(map);
  return names.some((name) => map[name] === undefined) ? names.filter((name) => map[name] !== undefined) : names;
};

/** Whether an object has no members. A member with the value undefined counts as absent. */
export const isEmptyMap = (map: JsonObject): boolean => {
  for (const name in map) if (memberOf(map, name) !== undefined) return false;
  return true;
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is all of ASCII
const ascii = /^[\0-\x7f]*$/;

/** Converts a text to a sort key. JavaScript sorts the keys as Go sorts the texts: by the bytes of UTF-8. */
export const byteOrder = (text: string): string =>
  ascii.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');

/** Compares two texts as Go does. */
export const compareTexts = (a: string, b: string): number => {
  if (a === b) return 0;
  return byteOrder(a) < byteOrder(b) ? -1 : 1;
};

const rankOf = (value: unknown): number => {
  if (typeof value === 'number') return 0;
  if (typeof value === 'string') return 1;
  if (typeof value === 'boolean') return 2;
  if (isList(value)) return 3;
  return isMap(value) ? 4 : 5;
};

/**
 * Compares two values, first by type and then by value. Lists and maps are compared by their JSON text.
 *
 * @see sigs.k8s.io/structured-merge-diff v6.3.3 value/value.go (`Compare`)
 */
export const compareValues = (a: unknown, b: unknown): number => {
  if (a === b) return 0;
  const ranks = rankOf(a) - rankOf(b);
  if (ranks !== 0) return ranks;
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  if (typeof a === 'number' || typeof a === 'boolean') return Number(a) - Number(b);
  return compareTexts(JSON.stringify(a) ?? '', JSON.stringify(b) ?? '');
};
