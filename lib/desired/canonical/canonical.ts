import { hash } from 'node:crypto';
import { setOwn } from '#lib/json.ts';
import { sortedNames } from './sorted-names.ts';

/**
 * The canonical form of a JSON value: the keys of objects are sorted, and members of objects that are undefined or null are left
 * out.
 *
 * Values that differ only in the order of keys, or in undefined and null members, have the same canonical form.
 *
 * @param value - JSON, possibly with undefined members
 * @returns a copy; the input is not changed
 */
export const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Readonly<Record<string, unknown>>;
  const copy: Record<string, unknown> = {};
  for (const name of sortedNames(members)) {
    const member = members[name];
    if (member !== undefined && member !== null) setOwn(copy, name, canonical(member));
  }
  return copy;
};

/** Whether a name is an index such as `10`. JavaScript lists such members of an object first, in numeric order. */
const isIndex = (name: string): boolean => /^(?:0|[1-9]\d{0,9})$/.test(name);

const hasIndexes = (object: object): boolean => {
  for (const first in object) return isIndex(first);
  return false;
};

const listText = (values: readonly unknown[]): string => {
  let text = '';
  for (let index = 0; index < values.length; index += 1)
    text += `${index === 0 ? '' : ','}${canonicalText(values[index])}`;
  return `[${text}]`;
};

/** Returns `JSON.stringify(canonical(value))`, usually without the intermediate object. For `undefined`, returns `null` as text. */
export const canonicalText = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return listText(value);
  if (hasIndexes(value)) return JSON.stringify(canonical(value));
  const members = value as Readonly<Record<string, unknown>>;
  let text = '';
  for (const name of sortedNames(members)) {
    const member = members[name];
    if (member === undefined || member === null) continue;
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonicalText(member)}`;
  }
  return `{${text}}`;
};

/**
 * The characters that Kubernetes uses in generated names. They include no vowels, so that the names contain no words
 * (apimachinery `util/rand`).
 */
const SAFE_DIGITS = 'bcdfghjklmnpqrstvwxz2456789';

const WORD_BYTES = 4;
const WORD = 2 ** 32;

/**
 * A short hash that is valid in names and label values.
 *
 * @param value - any JSON value; its canonical form is hashed
 * @param length - number of characters, 1–12; 5 give 14 million values, 10 give 2·10^14
 * @returns lower-case letters and digits
 */
export const shortHash = (value: unknown, length: number): string => shortTextHash(canonicalText(value), length);

/** Returns the {@link shortHash} of a value, computed from its {@link canonicalText}. */
export const shortTextHash = (canonicalJson: string, length: number): string => {
  const digest = hash('sha256', canonicalJson, 'buffer');
  // Long division of the first 64 bits, in two words of 32 bits, so that each intermediate value is less than 2^53.
  let [high, low] = [digest.readUInt32BE(0), digest.readUInt32BE(WORD_BYTES)];
  let text = '';
  for (let i = 0; i < length; i += 1) {
    const rest = (high % SAFE_DIGITS.length) * WORD + low;
    high = Math.floor(high / SAFE_DIGITS.length);
    low = Math.floor(rest / SAFE_DIGITS.length);
    text += SAFE_DIGITS[rest % SAFE_DIGITS.length] ?? '';
  }
  return text;
};
