/**
 * A map by namespace and name.
 *
 * A map by `Key` would keep the text of each key. This map keeps only the given names, which are usually texts of the value.
 *
 * @typeParam V - never undefined
 */
export class NamespacedMap<V> implements Iterable<V> {
  readonly #namespaces = new Map<string, Map<string, V>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** @param namespace - absent or empty for cluster-scoped objects, here and in the other methods */
  get(namespace: string | undefined, name: string): V | undefined {
    return this.#namespaces.get(namespace ?? '')?.get(name);
  }

  set(namespace: string | undefined, name: string, value: V): void {
    const names = this.#namespaces.get(namespace ?? '') ?? new Map<string, V>();
    if (names.size === 0) this.#namespaces.set(namespace ?? '', names);
    this.#size += names.has(name) ? 0 : 1;
    names.set(name, value);
  }

  delete(namespace: string | undefined, name: string): void {
    const names = this.#namespaces.get(namespace ?? '');
    if (!names?.delete(name)) return;
    this.#size -= 1;
    if (names.size === 0) this.#namespaces.delete(namespace ?? '');
  }

  /** Iterates over all values; a value that is deleted during the iteration is left out. */
  *[Symbol.iterator](): Generator<V> {
    for (const names of this.#namespaces.values()) yield* names.values();
  }
}
