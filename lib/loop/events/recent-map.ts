/**
 * A map that keeps the entries that were used last, and drops older entries.
 *
 * It has two generations, because the order of a single map costs a deletion per use, and a walk over deleted places per drop.
 *
 * @typeParam V - never undefined
 */
export class RecentMap<V> {
  readonly #limit: number;
  #young = new Map<string, V>();
  #old = new Map<string, V>();

  /** @param limit - the number of entries that are kept for certain, >= 1; the map holds fewer than twice as many */
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
    if (this.#young.size < this.#limit) return;
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
