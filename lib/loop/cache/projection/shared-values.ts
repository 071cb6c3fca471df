import { RecentMap } from '#lib/loop/events/recent-map.ts';

/** How many different values are kept: some hundred KiB. */
const KEPT_VALUES = 1024;
/** Larger parts are rarely repeated, and cost more to compare: in characters of names and texts. */
const LARGEST_PART = 512;

/** The values that were shared last, by their JSON. */
const recent = new RecentMap<object>(KEPT_VALUES);

/** The first value with this JSON, or this one. */
const sharedOf = (value: object): object => {
  const text = JSON.stringify(value);
  const known = recent.get(text);
  if (known !== undefined) return known;
  recent.set(text, Object.freeze(value));
  return value;
};

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** True for an object with few texts and numbers, and nothing else. */
const isSmallPart = (value: Record<string, unknown>): boolean => {
  let size = 0;
  for (const name in value) {
    const member = value[name];
    if (isObject(member)) return false;
    size += name.length + (typeof member === 'string' ? member.length : 1);
    if (size > LARGEST_PART) return false;
  }
  return true;
};

/**
 * Replaces small parts of an object by equal ones of other objects: the labels and the owner reference of the children of one
 * resource are equal, and conditions that changed within the same second. They take most of the memory of a cached pod.
 *
 * Parts of Secrets are not shared, as shared parts outlive their objects.
 *
 * @param value - JSON that nothing else changes; its parts are replaced in place, except for those that are frozen
 */
export const shareParts = (value: Record<string, unknown> | unknown[]): void => {
  if (Object.isFrozen(value) || (value as { readonly kind?: unknown }).kind === 'Secret') return;
  const members = value as Record<string, unknown>;
  for (const name in members) {
    const member = members[name];
    if (!isObject(member)) continue;
    if (!Array.isArray(member) && isSmallPart(member)) members[name] = sharedOf(member);
    else shareParts(member);
  }
};
