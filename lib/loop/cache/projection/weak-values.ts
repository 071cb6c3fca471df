interface Entry {
  readonly key: string;
  readonly refs: Map<string, WeakRef<object>>;
}

const collected = new FinalizationRegistry<Entry>(({ key, refs }) => {
  if (refs.get(key)?.deref() === undefined) refs.delete(key);
});

/** A map whose values can be collected when no other code uses them. The entry of a collected value is removed, with its key. */
export class WeakValues<V extends object> {
  readonly #refs = new Map<string, WeakRef<V>>();

  /** The number of entries, with those whose value was collected a moment ago. */
  get size(): number {
    return this.#refs.size;
  }

  /** Returns the value of a key; otherwise makes it. */
  getOrMake(key: string, make: () => V): V {
    const known = this.#refs.get(key)?.deref();
    if (known !== undefined) return known;
    const value = make();
    this.#refs.set(key, new WeakRef(value));
    collected.register(value, { key, refs: this.#refs });
    return value;
  }
}
