/**
 * A map that drops entries that have not been used lately: those that were not used since half of the limit was used.
 *
 * Two generations: the order of a single map costs a deletion per use, and a walk over deleted places per drop.
 *
 * @typeParam V - never undefined
 */
export class RecentMap<V> {
  readonly #limit: number;
  #young = new Map<string, V>();
  #old = new Map<string, V>();

  /** @param limit - the most entries, >= 1 */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Looking an entry up counts as using it. */
  get(key: string): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, value: V): void {
    this.#old.delete(key);
    this.#young.set(key, value);
    if (this.#young.size <= this.#limit / 2) return;
    this.#old = this.#young;
    this.#young = new Map();
  }

  delete(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  values(): readonly V[] {
    return [...this.#old.values(), ...this.#young.values()];
  }
}
