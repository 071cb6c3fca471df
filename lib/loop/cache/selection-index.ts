import { carries, type Labels } from '#lib/desired/selection.ts';
import type { Key } from '#lib/loop/key.ts';
import { LabelIndex } from './label-index.ts';
import { NamespaceIndex } from './namespace-index.ts';
import type { CachedObject } from './projection.ts';

/** Which objects are asked for. */
export interface Selection {
  /** All of them when it is undefined. */
  readonly namespace: string | undefined;
  /** Those that they carry; none for all objects. */
  readonly labels: Labels;
}

/**
 * Some objects of a cache, by namespace and labels. Most caches are never asked for them: what is asked for is indexed when
 * it is first asked for, and kept up to date from then on. From then on an answer costs as much as the rarest of its labels
 * is carried.
 *
 * Caveats: 16 labels are indexed at a time; where more are asked for in turn, an answer costs as much as there are objects.
 */
export class SelectionIndex {
  readonly #belongs: (object: CachedObject) => boolean;
  readonly #byNamespace: NamespaceIndex;
  readonly #byLabel = new LabelIndex();

  /** @param belongs - which objects are indexed */
  constructor(belongs: (object: CachedObject) => boolean) {
    this.#belongs = belongs;
    this.#byNamespace = new NamespaceIndex(belongs);
  }

  put(key: Key, object: CachedObject): void {
    if (!this.#belongs(object)) return;
    this.#byNamespace.put(key, object);
    this.#byLabel.put(key, object);
  }

  remove(key: Key, object: CachedObject): void {
    this.#byNamespace.remove(key, object);
    this.#byLabel.remove(key, object);
  }

  /**
   * @param all - the objects of the cache
   * @returns in no order
   */
  select({ namespace, labels }: Selection, all: ReadonlyMap<Key, CachedObject>): readonly CachedObject[] {
    const belonging = (): (readonly [Key, CachedObject])[] => [...all].filter(([, object]) => this.#belongs(object));
    const candidates = this.#byLabel.candidates(labels, namespace, belonging) ?? this.#in(namespace, all);
    return candidates.filter((object) => carries(object, labels));
  }

  #in(namespace: string | undefined, all: ReadonlyMap<Key, CachedObject>): readonly CachedObject[] {
    if (namespace === undefined) return [...all.values()].filter((object) => this.#belongs(object));
    return [...this.#byNamespace.in(namespace, all)];
  }
}
