/**
 * A map that keeps the entries that were used last, and drops older entries.
 *
 * The class has two maps, a young and an old one. A full young map replaces the old one. With a single map in the order of use,
 * each use would need a deletion, and deletions make later iterations slow.
 *
 * @typeParam V - never undefined
 */
export class RecentMap<V> {
  readonly #limit: number;
  #young = new Map<string, V>();
  #old = new Map<string, V>();

  /** @param limit - the number of recently used entries that the map keeps, ≥ 1. The map may keep up to twice this number */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The value of a key; undefined for a missing or dropped entry. A call counts as a use of the entry. */
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
