import { RecentMap } from '#lib/loop/events/recent-map.ts';

/** The maximum number of values that are kept for sharing. These values take some hundred KiB. */
const KEPT_VALUES = 512;
/**
 * The maximum size of a shared part, in characters of its names and strings. Larger parts are rarely repeated, and take longer to
 * compare.
 */
const LARGEST_PART = 512;

const recent = new RecentMap<object>(KEPT_VALUES);

/** Returns a kept value with the same JSON text; otherwise keeps, freezes and returns the given value. */
const sharedOf = (value: object): object => {
  const text = JSON.stringify(value);
  const known = recent.get(text);
  if (known !== undefined) return known;
  recent.set(text, Object.freeze(value));
  return value;
};

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Whether an object has at most {@link LARGEST_PART} characters and no objects or lists as members. */
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
 * Replaces small parts of an object by equal parts of other objects. This saves most of the memory of a cached Pod: for example,
 * the children of one resource have equal labels and owner references.
 *
 * Parts of Secrets are not shared, because a shared part outlives its object.
 *
 * @param value - JSON that no other code changes; its parts are replaced in place, except for frozen parts
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
