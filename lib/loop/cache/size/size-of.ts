/** The cost of every value besides its text: V8 takes about as much for an element or a member, however short its JSON is. */
const VALUE_BYTES = 16;
/** A short text is counted by its length: to encode it would take most of the time. */
const SHORT_TEXT = 64;

const textSize = (text: string): number => (text.length <= SHORT_TEXT ? text.length : Buffer.byteLength(text));

/**
 * How much memory a value takes, roughly: the UTF-8 bytes of its texts and of the names of its members, and 16 for each value. A
 * text of up to 64 characters counts as that many bytes.
 *
 * @param limit - to count further is of no use; the result may be less than the whole when it is above this
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
    // JSON has no inherited members, and a list of all entries would take three times as long.
    for (const name in next) {
      bytes += textSize(name);
      open.push((next as Readonly<Record<string, unknown>>)[name]);
    }
  }
  return bytes;
};

/** Whether a value takes at most so much memory. */
export const sizeFits = (value: unknown, limit: number): boolean => sizeOf(value, limit) <= limit;
