import type { Key } from '#lib/loop/key.ts';
import type { CachedObject } from './projection.ts';

/**
 * Some objects of a cache, by namespace. Most caches are never asked for them: the index is built when it is first asked
 * for, and kept up to date from then on.
 */
export class NamespaceIndex {
  readonly #belongs: (object: CachedObject) => boolean;
  #namespaces: Map<string, Map<Key, CachedObject>> | undefined;

  /** @param belongs - which objects are indexed */
  constructor(belongs: (object: CachedObject) => boolean) {
    this.#belongs = belongs;
  }

  put(key: Key, object: CachedObject): void {
    if (this.#namespaces === undefined || !this.#belongs(object)) return;
    const namespace = object.metadata.namespace ?? '';
    const objects = this.#namespaces.get(namespace) ?? new Map<Key, CachedObject>();
    this.#namespaces.set(namespace, objects.set(key, object));
  }

  remove(key: Key, object: CachedObject): void {
    const namespace = object.metadata.namespace ?? '';
    const objects = this.#namespaces?.get(namespace);
    if (objects?.delete(key) && objects.size === 0) this.#namespaces?.delete(namespace);
  }

  /**
   * @param all - the objects of the cache, for the first time
   * @returns the objects of a namespace, in no order; empty for cluster-scoped ones
   */
  in(namespace: string, all: ReadonlyMap<Key, CachedObject>): Iterable<CachedObject> {
    if (this.#namespaces === undefined) {
      this.#namespaces = new Map();
      for (const [key, object] of all) this.put(key, object);
    }
    return this.#namespaces.get(namespace)?.values() ?? [];
  }
}
