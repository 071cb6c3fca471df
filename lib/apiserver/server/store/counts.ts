/**
 * Counts how often each name was used.
 *
 * Guarantees: the counts of a name never repeat. If there are more names than the limit, all counts are dropped, and all names
 * continue from the highest count.
 */
export class NameCounts {
  readonly #limit: number;
  #counts = new Map<string, number>();
  #base = 0;
  #highest = 0;

  /** @param limit - maximum number of names with separate counts */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The number of times that a name was used. After counts were dropped, this may be a higher number. */
  of(name: string): number {
    return this.#counts.get(name) ?? this.#base;
  }

  /** Records a use of a name. */
  add(name: string): void {
    this.set(name, this.of(name) + 1);
  }

  /** Sets the count of a name. */
  set(name: string, count: number): void {
    this.#highest = Math.max(this.#highest, count);
    this.#counts.set(name, count);
    if (this.#counts.size <= this.#limit) return;
    this.#base = this.#highest;
    this.#counts.clear();
  }

  /** An independent copy. */
  copy(): NameCounts {
    const copy = new NameCounts(this.#limit);
    copy.#counts = new Map(this.#counts);
    copy.#base = this.#base;
    copy.#highest = this.#highest;
    return copy;
  }
}
