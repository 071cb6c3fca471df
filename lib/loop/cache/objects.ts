import { isStray } from '#lib/desired/marks/marks.ts';
import { elsewhereWord, type Ownership, ownershipsOf, ownershipWord } from '#lib/desired/marks/ownership.ts';
import { byName } from '#lib/desired/observe/scoped-name.ts';
import type { OwnerReference } from '#lib/kind/handles/reference.ts';
import type { ApiMeta } from '#lib/kube/interface/api.ts';
import type { CachedObject } from '#lib/loop/cache/projection/projection.ts';
import { type Key, keyOf, nameIn, namespaceOf } from '#lib/loop/context/key.ts';
import { scopeCovers, type WatchScope } from './gone-marks.ts';
import { NamespacedMap } from './namespaced-map.ts';
import { type Selection, SelectionIndex } from './selection-index.ts';

/** The owner reference to the controller of an object; undefined without a controller. */
export const controllerOf = (object: Pick<CachedObject, 'metadata'>): OwnerReference | undefined =>
  object.metadata.ownerReferences?.find((owner) => owner.controller === true);

/** The key of an object, from its namespace and name. */
export const keyOfObject = ({ metadata }: Pick<CachedObject, 'metadata'>): Key =>
  keyOf(metadata.namespace, metadata.name);

/** The index at which an object is inserted into a list that is sorted by name. */
const placeIn = (sorted: readonly CachedObject[], object: CachedObject): number => {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (byName(object, sorted[middle] as CachedObject) < 0) to = middle;
    else from = middle + 1;
  }
  return from;
};

/** The maximum length of a short list of owned objects. */
const SHORT_LIST = 16;

/** The objects of one resource, indexed by name, owner and labels. */
export class Objects {
  readonly #isClusterScoped: (owner: OwnerReference) => boolean;
  readonly #byName = new NamespacedMap<CachedObject>();
  /**
   * Objects by the namespace and word of their owner, see `ownershipWord`; each list is sorted by name. The namespace is part of
   * the place because an owner reference to another namespace has no effect, unless the owner is cluster-scoped. Children elsewhere
   * are indexed by the place of their owner, see `elsewhereWord`.
   */
  readonly #owned = new NamespacedMap<CachedObject[]>();
  readonly #among = {
    all: new SelectionIndex(() => true),
    uncontrolled: new SelectionIndex((object) => controllerOf(object) === undefined),
    /** Objects with the annotation of an intent and without a controller, such as restored children. Usually empty. */
    strays: new SelectionIndex(isStray),
  };
  readonly #indexes = Object.values(this.#among);

  /** @param isClusterScoped - whether an owner may have children in every namespace */
  constructor(isClusterScoped: (owner: OwnerReference) => boolean) {
    this.#isClusterScoped = isClusterScoped;
  }

  get size(): number {
    return this.#byName.size;
  }

  get(key: Key): CachedObject | undefined {
    return this.#byName.get(namespaceOf(key), nameIn(key));
  }

  /** The cached object with the namespace and the name of an object. */
  namesakeOf({ namespace, name }: Pick<ApiMeta, 'namespace' | 'name'>): CachedObject | undefined {
    return this.#byName.get(namespace, name);
  }

  /** All objects; an object that is removed during the iteration is left out. */
  all(): Iterable<CachedObject> {
    return this.#byName;
  }

  /** The objects of a scope by key, each as `uid@resourceVersion`. */
  inspect(scope: WatchScope): Readonly<Record<string, string>> {
    const objects = [...this.#byName].filter(({ metadata }) => scopeCovers(scope, metadata.namespace));
    return Object.fromEntries(
      objects.map((object) => [keyOfObject(object), `${object.metadata.uid}@${object.metadata.resourceVersion}`]),
    );
  }

  /** @param owner - the result of `ownershipWord` or `elsewhereWord`. @returns the objects of the owner, sorted by name */
  ownedBy(namespace: string, owner: string): readonly CachedObject[] {
    return [...(this.#owned.get(namespace, owner) ?? [])];
  }

  countOwnedBy(namespace: string, owner: string): number {
    return this.#owned.get(namespace, owner)?.length ?? 0;
  }

  select(selection: Selection): readonly CachedObject[] {
    return this.#among[selection.among ?? 'all'].select(selection, this.#byName);
  }

  /** Stores an object, in place of any other object with the same name. */
  put(object: CachedObject): void {
    const { namespace, name } = object.metadata;
    const before = this.#byName.get(namespace, name);
    if (before) this.remove(before);
    this.#byName.set(namespace, name, object);
    for (const index of this.#indexes) index.put(object);
    for (const ownership of ownershipsOf(object)) {
      const place = this.#placeOf(object, ownership);
      const siblings = this.#owned.get(...place) ?? [];
      const index = placeIn(siblings, object);
      // A short list is copied, because a list that grows in place reserves memory for 16 further elements.
      if (siblings.length < SHORT_LIST) this.#owned.set(...place, siblings.toSpliced(index, 0, object));
      else siblings.splice(index, 0, object);
    }
  }

  remove(object: CachedObject): void {
    this.#byName.delete(object.metadata.namespace, object.metadata.name);
    for (const index of this.#indexes) index.remove(object);
    for (const ownership of ownershipsOf(object)) {
      const place = this.#placeOf(object, ownership);
      const siblings = this.#owned.get(...place);
      siblings?.splice(placeIn(siblings, object) - 1, 1);
      if (siblings?.length === 0) this.#owned.delete(...place);
    }
  }

  /** The place of an owner in the index of owned objects: a namespace and the word of the owner. */
  #placeOf(
    { metadata }: CachedObject,
    { owner, label, marked }: Ownership,
  ): readonly [namespace: string | undefined, word: string] {
    if (marked) return ['', elsewhereWord(marked.definition, { namespace: marked.namespace, name: owner.name })];
    return [this.#isClusterScoped(owner) ? '' : metadata.namespace, ownershipWord(owner.uid, label)];
  }
}
