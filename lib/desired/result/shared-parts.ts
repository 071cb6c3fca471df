/** The extent of a value that has no fault. */
export interface Extent {
  /** Characters of its JSON: a lower bound of the bytes. */
  readonly size: number;
  /** Levels of objects and lists within it. */
  readonly height: number;
}

/** Smaller parts are checked again, because remembering them costs more. */
const WORTH_REMEMBERING = 512;

/** How many texts of one length are compared, so that the cost of a text does not depend on how many there are. */
const TEXTS_OF_A_LENGTH = 16;

/** The cost of every value in addition to its text: V8 takes about as much for an element or a member. */
const VALUE_BYTES = 16;

/**
 * The large parts that the objects of one result share, such as the template of ten thousand pods. Each is checked once, and
 * counted once.
 *
 * Assumptions: the result does not change while it is checked.
 */
export class SharedParts {
  readonly #extents = new Map<object, Extent>();
  readonly #texts = new Map<number, string[]>();
  #bytes = 0;

  /** How much memory the result takes, roughly. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The earlier finding about the same part; undefined for a new or small one. */
  extentOf(part: object): Extent | undefined {
    return this.#extents.get(part);
  }

  /** Remembers a part without a fault, if that is worth it. */
  remember(part: object, extent: Extent): void {
    if (extent.size >= WORTH_REMEMBERING) this.#extents.set(part, extent);
  }

  /** Counts one value, without its members. */
  count(value: unknown): void {
    this.#bytes += VALUE_BYTES;
    if (typeof value === 'string') this.countText(value);
  }

  /** Counts the characters of a text or a name. */
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
