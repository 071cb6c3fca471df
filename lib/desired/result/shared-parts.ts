/** The size and the depth of a value without a fault. */
export interface Extent {
  /** The approximate number of characters of its JSON. */
  readonly size: number;
  /** The number of levels of objects and lists in the value. */
  readonly height: number;
}

/** The minimum size of a remembered part, in characters. To check a smaller part again takes less time than to remember it. */
const WORTH_REMEMBERING = 512;

/**
 * The maximum number of remembered texts of one length, with which a new text is compared. The limit bounds the time for a new
 * text.
 */
const TEXTS_OF_A_LENGTH = 16;

/** The memory of every value in addition to its text, in bytes. V8 needs about this much for each element or member. */
const VALUE_BYTES = 16;

/**
 * The large parts that several objects of one result share, such as the template of ten thousand pods. In most cases, each part is
 * checked once, and its memory is counted once.
 *
 * Assumptions: the result does not change while it is checked.
 */
export class SharedParts {
  readonly #extents = new Map<object, Extent>();
  readonly #texts = new Map<number, string[]>();
  #bytes = 0;

  /** The approximate memory of the result, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The size and depth of a part that was checked before; undefined for a new or small part. */
  extentOf(part: object): Extent | undefined {
    return this.#extents.get(part);
  }

  /** Remembers a part without a fault, if it is large enough. */
  remember(part: object, extent: Extent): void {
    if (extent.size >= WORTH_REMEMBERING) this.#extents.set(part, extent);
  }

  /** Counts one value, without its members. */
  count(value: unknown): void {
    this.#bytes += VALUE_BYTES;
    if (typeof value === 'string') this.countText(value);
  }

  /** Counts the characters of a text or a name. A long text that is remembered from an earlier call does not count again. */
  countText(text: string): void {
    if (!this.#isKnownText(text)) this.#bytes += text.length;
  }

  #isKnownText(text: string): boolean {
    const { length } = text;
    if (length < WORTH_REMEMBERING) return false;
    const known = this.#texts.get(length) ?? [];
    if (known.includes(text)) return true;
    if (known.length === TEXTS_OF_A_LENGTH) known.shift();
    known.push(text);
    this.#texts.set(length, known);
    return false;
  }
}
