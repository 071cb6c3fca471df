/**
 * Counts how often each name was used.
 *
 * Guarantees: `add` never repeats a count of a name. If there are more names than the limit, all counts are dropped, and all
 * names continue from the highest count.
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

  /** Returns the number of uses of a name, or a higher number after counts were dropped. */
  of(name: string): number {
    return this.#counts.get(name) ?? this.#base;
  }

  add(name: string): void {
    this.set(name, this.of(name) + 1);
  }

  set(name: string, count: number): void {
    this.#highest = Math.max(this.#highest, count);
    this.#counts.set(name, count);
    if (this.#counts.size <= this.#limit) return;
    this.#base = this.#highest;
    this.#counts.clear();
  }

  copy(): NameCounts {
    const copy = new NameCounts(this.#limit);
    copy.#counts = new Map(this.#counts);
    copy.#base = this.#base;
    copy.#highest = this.#highest;
    return copy;
  }
}
