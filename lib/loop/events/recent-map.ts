/**
 * A map that drops its least recently used entries.
 *
 * @typeParam V - never undefined
 */
export class RecentMap<V> {
  readonly #limit: number;
  readonly #entries = new Map<string, V>();

  /** @param limit - the most entries, >= 1 */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Looking an entry up counts as using it. */
  get(key: string): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: string, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#limit) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  values(): readonly V[] {
    return [...this.#entries.values()];
  }
}
