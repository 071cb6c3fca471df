import { hash } from 'node:crypto';

/**
 * The canonical form of a JSON value: keys sorted, members that are undefined or null left out.
 *
 * Two values that mean the same to the API server have the same canonical form, whatever the order of their keys.
 *
 * @param value - JSON, possibly with undefined members
 * @returns a new value; the input is not changed
 */
export const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined && member !== null);
  return Object.fromEntries(members.toSorted(byKey).map(([key, member]) => [key, canonical(member)]));
};

/** Code-unit order, so that the result does not depend on the machine's locale. */
const byKey = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);

/** A name that objects list before all others, and by its number. */
const isIndex = (name: string): boolean => /^(?:0|[1-9]\d{0,9})$/.test(name);

/**
 * Equals `JSON.stringify(canonical(value))`, without the intermediate object.
 *
 * @param value - as for {@link canonical}
 */
export const canonicalText = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${Array.from(value, canonicalText).join()}]`;
  const members = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(members);
  if (names.some(isIndex)) return JSON.stringify(canonical(value));
  let text = '';
  for (const name of names.toSorted()) {
    const member = members[name];
    if (member === undefined || member === null) continue;
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonicalText(member)}`;
  }
  return `{${text}}`;
};

/** The digits that Kubernetes uses in generated names: no vowels and no look-alikes, so no words come out (apimachinery `util/rand`). */
const SAFE_DIGITS = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * A short hash that is valid in names and label values.
 *
 * @param value - any JSON value; its canonical form is hashed
 * @param length - number of characters, 1–12; 5 give 14 million values, 10 give 2·10^14
 * @returns lower-case letters and digits
 */
export const shortHash = (value: unknown, length: number): string => {
  const digest = hash('sha256', canonicalText(value), 'buffer');
  let rest = digest.readBigUInt64BE(0);
  let text = '';
  for (let i = 0; i < length; i += 1) {
    text += SAFE_DIGITS[Number(rest % 27n)] ?? '';
    rest /= 27n;
  }
  return text;
};
