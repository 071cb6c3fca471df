const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Limits of a JSON text. */
export interface ValueLimits {
  /** Maximum number of objects, lists, members and items. The first member or item of each object or list is not counted. */
  readonly values: number;
  /** Maximum nesting of objects and lists. */
  readonly depth: number;
}

const endOfText = (json: Buffer, start: number): number => {
  for (let at = start; at < json.length; at += 1) {
    if (json[at] === BACKSLASH) at += 1;
    else if (json[at] === QUOTE) return at;
  }
  return json.length;
};

/**
 * Whether a JSON text exceeds one of the limits. The text is not parsed. A parsed value can take a hundred times the memory of
 * its text; for example, `{}` has two bytes.
 *
 * Guarantees: counts objects and lists, and all their members except the first member of each, in one pass. The count also works
 * for a text that is not valid JSON.
 *
 * @param json - the text in UTF-8, in which no byte of a longer character looks like punctuation
 */
export const holdsMoreThan = (json: Buffer, { values, depth }: ValueLimits): boolean => {
  let count = 0;
  let nested = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfText(json, at + 1);
    else if (byte === COMMA) count += 1;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) [count, nested] = [count + 1, nested + 1];
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) nested -= 1;
    if (count > values || nested > depth) return true;
  }
  return false;
};
