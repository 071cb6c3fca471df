/**
 * How often each of many names was given.
 *
 * Guarantees: a count that was told for a name is never told for it again once it was given, also when the counts of so many names
 * were let go that no more than a limit are kept: all begin again above the highest then.
 */
export class Counts {
  readonly #limit: number;
  #counts = new Map<string, number>();
  #base = 0;
  #highest = 0;

  /** @param limit - how many names are told apart before their counts are let go */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How often a name was given, or more. */
  of(name: string): number {
    return this.#counts.get(name) ?? this.#base;
  }

  /** A name was given. */
  add(name: string): void {
    this.set(name, this.of(name) + 1);
  }

  /** A name was given so often. */
  set(name: string, count: number): void {
    this.#highest = Math.max(this.#highest, count);
    this.#counts.set(name, count);
    if (this.#counts.size <= this.#limit) return;
    this.#base = this.#highest;
    this.#counts.clear();
  }

  /** Counts of its own that go on from these. */
  copy(): Counts {
    const copy = new Counts(this.#limit);
    copy.#counts = new Map(this.#counts);
    copy.#base = this.#base;
    copy.#highest = this.#highest;
    return copy;
  }
}
