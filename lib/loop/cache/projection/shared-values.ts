import { RecentMap } from '#lib/loop/events/recent-map.ts';

/** The maximum number of values that are kept for sharing. These values take some hundred KiB. */
const KEPT_VALUES = 512;
/**
 * The maximum size of a shared part, in characters of its names and strings. Larger parts are rarely repeated, and take longer to
 * compare.
 */
const LARGEST_PART = 512;
/** The maximum number of elements of a shared list. */
const LONGEST_LIST = 16;

/** A kept value. The id represents the value in the key of a list that contains the value. */
interface Shared {
  readonly id: number;
  readonly value: object;
}

const recent = new RecentMap<Shared>(KEPT_VALUES);
let lastId = 0;

/** Returns the kept value of a key; otherwise keeps and freezes the given value. */
const keptFor = (key: string, value: object): Shared => {
  const known = recent.get(key);
  if (known !== undefined) return known;
  lastId += 1;
  const shared = { id: lastId, value: Object.freeze(value) };
  recent.set(key, shared);
  return shared;
};

/** Members of an object or of its metadata with a text that many objects have. */
const REPEATED: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'namespace', 'creationTimestamp']);
const recentTexts = new RecentMap<string>(KEPT_VALUES);

const sharedText = (text: string): string => {
  const known = recentTexts.get(text);
  if (known === undefined) recentTexts.set(text, text);
  return known ?? text;
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

/** Shares the elements of a list. @returns the shared list if all elements are small parts; otherwise the list itself */
const sharedList = (list: unknown[]): object => {
  const ids: number[] = [];
  for (const [index, element] of list.entries()) {
    if (!isObject(element)) continue;
    if (Array.isArray(element) || !isSmallPart(element)) shareParts(element);
    else {
      const { id, value } = keptFor(JSON.stringify(element), element);
      list[index] = value;
      ids.push(id);
    }
  }
  const isShared = ids.length > 0 && ids.length === list.length && ids.length <= LONGEST_LIST;
  // The key of a list is not JSON, so it differs from the keys of objects.
  return isShared ? keptFor(ids.join(), list).value : list;
};

/**
 * Replaces small parts of an object by equal parts of other objects, and does the same with lists of small parts and with some
 * texts. This saves most of the memory of a cached Pod: for example, the children of one resource have equal labels and owner
 * references.
 *
 * Parts of Secrets are not shared, because a shared part outlives its object.
 *
 * @param value - JSON that no other code changes; its parts are replaced in place, except for frozen parts
 */
export const shareParts = (value: Record<string, unknown> | unknown[]): void => {
  if (Object.isFrozen(value) || (value as { readonly kind?: unknown }).kind === 'Secret') return;
  if (Array.isArray(value)) return void sharedList(value);
  for (const name in value) {
    const member = value[name];
    if (typeof member === 'string' && REPEATED.has(name)) value[name] = sharedText(member);
    if (!isObject(member)) continue;
    if (Array.isArray(member)) value[name] = Object.isFrozen(member) ? member : sharedList(member);
    else if (isSmallPart(member)) value[name] = keptFor(JSON.stringify(member), member).value;
    else shareParts(member);
  }
};
