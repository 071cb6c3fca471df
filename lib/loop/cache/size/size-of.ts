/** The cost of every value in addition to its text, in bytes. V8 needs about this much memory for each element or member. */
const VALUE_BYTES = 16;
/** The maximum length of a text that counts one byte per character. To encode short texts would take most of the time. */
const SHORT_TEXT = 64;

const textSize = (text: string): number => (text.length <= SHORT_TEXT ? text.length : Buffer.byteLength(text));

/**
 * The approximate memory of a value: the UTF-8 bytes of its texts and of the names of its members, and 16 bytes for each value.
 * A text of up to 64 characters counts one byte per character.
 *
 * @param limit - the count stops above this number; the result may then be less than the size of the value
 */
export const sizeOf = (value: unknown, limit: number): number => {
  let bytes = 0;
  const open: unknown[] = [value];
  while (open.length > 0 && bytes <= limit) {
    const next = open.pop();
    bytes += VALUE_BYTES + (typeof next === 'string' ? textSize(next) : 0);
    if (typeof next !== 'object' || next === null) continue;
    if (Array.isArray(next)) {
      for (const element of next) open.push(element);
      continue;
    }
    // `for … in` is safe, because JSON has no inherited members; `Object.entries` would take three times as long.
    for (const name in next) {
      bytes += textSize(name);
      open.push((next as Readonly<Record<string, unknown>>)[name]);
    }
  }
  return bytes;
};

const cutList = (items: readonly unknown[], levels: number): readonly unknown[] => {
  let copy: unknown[] | undefined;
  for (let index = 0; index < items.length; index += 1) {
    const item = cutBelow(items[index], levels);
    if (item !== items[index]) (copy ??= [...items])[index] = item;
  }
  return copy ?? items;
};

/**
 * Replaces all objects and lists below a number of levels by null, in a copy. Each object that arrives passes this function: with
 * lists in the loop of the members, it would take as long as the parsing of the object.
 *
 * @returns the value itself if it has no more levels
 */
export const cutBelow = (value: unknown, levels: number): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return null;
  if (Array.isArray(value)) return cutList(value, levels - 1);
  const members = value as Readonly<Record<string, unknown>>;
  let copy: Record<string, unknown> | undefined;
  for (const name in members) {
    const member = cutBelow(members[name], levels - 1);
    if (member !== members[name]) (copy ??= { ...members })[name] = member;
  }
  return copy ?? value;
};

/** Whether {@link sizeOf} a value is at most the given limit, in bytes. */
export const sizeFits = (value: unknown, limit: number): boolean => sizeOf(value, limit) <= limit;
