import { isDeepStrictEqual } from 'node:util';
import type { OwnerReference } from '#lib/kind/reference.ts';
import type { ApiObject, WatchEvent } from '#lib/kube/api.ts';
import { compareResourceVersions } from '#lib/kube/resource-version.ts';
import { type Key, keyOf } from '#lib/loop/key.ts';
import type { CachedObject, Projection } from './projection.ts';

/** An object before and after; at least one of the two is there. */
export interface CacheChange {
  readonly before?: CachedObject;
  readonly after?: CachedObject;
}

/** How a cache reduces objects and whom it tells of changes. */
export interface CacheOptions {
  readonly project: Projection;
  /** Called for changes that came from the API server, when something that is kept differs. */
  readonly onChange: (change: CacheChange) => void;
}

/** What a cache holds, in the order in which it came: JSON, for bug reports and for telling states apart. */
export interface CacheState {
  /** By key: `uid@resourceVersion`. */
  readonly objects: Readonly<Record<string, string>>;
  /** Known to be gone before the watch tells, with the last version that was known: `uid@resourceVersion`. */
  readonly gone: readonly string[];
  readonly seenThrough: string;
}

/** The controlling owner of an object, if it has one. */
export const controllerOf = (object: Pick<CachedObject, 'metadata'>): OwnerReference | undefined =>
  object.metadata.ownerReferences?.find((owner) => owner.controller === true);

const keyOfObject = ({ metadata }: Pick<CachedObject, 'metadata'>): Key => keyOf(metadata.namespace, metadata.name);

const controllerKeyOf = (object: CachedObject): Key | undefined => {
  const controller = controllerOf(object);
  return controller && keyOf(object.metadata.namespace, controller.uid);
};

const isNewer = (a: string, b: string): boolean => compareResourceVersions(a, b) > 0;

const sameButVersion = (a: CachedObject, b: CachedObject): boolean =>
  isDeepStrictEqual(
    { ...a, metadata: { ...a.metadata, resourceVersion: '' } },
    { ...b, metadata: { ...b.metadata, resourceVersion: '' } },
  );

/**
 * The objects of one resource as far as they are known: what the watch told, overlaid with the answers to our own writes.
 *
 * Flow: a reflector calls `replace` and `event`; the executor calls `overlay` and `overlayGone` with the answers it gets;
 * passes read `get` and `controlledBy`.
 *
 * Guarantees: an object never goes back to an older version, unless the server itself did; our own writes are visible at once and stay visible until
 * the watch has caught up; an answer that arrives after the watch has passed it is ignored, so that nothing deleted
 * comes back. Objects are deep-frozen.
 *
 * Assumptions: resource versions of one resource can be compared (KEP-5504), and a watch delivers them in order.
 *
 * Caveats: `onChange` is not called for overlays, as the pass that wrote looks again by itself.
 */
export class ObjectCache {
  readonly #options: CacheOptions;
  readonly #objects = new Map<Key, CachedObject>();
  /** By namespace and uid of the controller: a reference from another namespace means nothing. */
  readonly #controlled = new Map<Key, Map<Key, CachedObject>>();
  /** Objects that are known to be gone before the watch tells: their uids, and the last version that was known of them. */
  readonly #gone = new Map<string, string>();
  /** Everything up to this resource version has been seen. */
  #seenThrough = '0';

  constructor(options: CacheOptions) {
    this.#options = options;
  }

  /** Number of objects held. */
  get size(): number {
    return this.#objects.size;
  }

  get(key: Key): CachedObject | undefined {
    return this.#objects.get(key);
  }

  keys(): Iterable<Key> {
    return this.#objects.keys();
  }

  /** @returns the objects of a namespace whose controller has this uid, sorted by name */
  controlledBy(namespace: string, uid: string): readonly CachedObject[] {
    const objects = [...(this.#controlled.get(keyOf(namespace, uid))?.values() ?? [])];
    return objects.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }

  /** Number of the objects that `controlledBy` returns. */
  countControlledBy(namespace: string, uid: string): number {
    return this.#controlled.get(keyOf(namespace, uid))?.size ?? 0;
  }

  inspect(): CacheState {
    const objects = [...this.#objects].map(([key, { metadata }]) => [
      key,
      `${metadata.uid}@${metadata.resourceVersion}`,
    ]);
    return {
      objects: Object.fromEntries(objects),
      gone: [...this.#gone].map(([uid, version]) => `${uid}@${version}`),
      seenThrough: this.#seenThrough,
    };
  }

  /** Takes a complete list, which holds everything up to `resourceVersion`. */
  replace(items: readonly ApiObject[], resourceVersion: string): void {
    // Lists are consistent, so an older one means that the server's storage was restored: what we know is from its future.
    if (isNewer(this.#seenThrough, resourceVersion)) this.#forget();
    this.#seenThrough = resourceVersion;
    const listed = new Set(items.map((item) => keyOf(item.metadata.namespace, item.metadata.name)));
    const uids = new Set(items.map((item) => item.metadata.uid));
    for (const [uid, lastVersion] of this.#gone) {
      // A list that is older than the object cannot know of its end.
      if (!uids.has(uid) && !isNewer(lastVersion, resourceVersion)) this.#gone.delete(uid);
    }
    for (const [key, object] of this.#objects) {
      const writtenSince = isNewer(object.metadata.resourceVersion, resourceVersion);
      if (!listed.has(key) && !writtenSince) this.#drop(object);
    }
    for (const item of items) this.#observe(this.#options.project(item));
  }

  /** Takes an event of the watch. */
  event(event: WatchEvent): void {
    if (event.type === 'BOOKMARK') {
      this.#seenThrough = event.resourceVersion;
      return;
    }
    this.#seenThrough = event.object.metadata.resourceVersion;
    const object = this.#options.project(event.object);
    if (event.type !== 'DELETED') {
      this.#observe(object);
      return;
    }
    this.#gone.delete(object.metadata.uid);
    const held = this.#objects.get(keyOfObject(object));
    if (held?.metadata.uid === object.metadata.uid) this.#drop(held);
  }

  /** Takes the API server's answer to a write of our own. */
  overlay(answer: ApiObject): void {
    const { uid, resourceVersion } = answer.metadata;
    if (this.#gone.has(uid) || !isNewer(resourceVersion, this.#seenThrough)) return;
    const object = this.#options.project(answer);
    const held = this.#objects.get(keyOfObject(object));
    if (held && !isNewer(resourceVersion, held.metadata.resourceVersion)) return;
    // Another object held the name: its deletion is news, and its event will not be taken for it any more.
    if (held && held.metadata.uid !== uid) {
      this.#gone.set(held.metadata.uid, held.metadata.resourceVersion);
      this.#drop(held);
    }
    this.#put(object);
  }

  /** Takes the API server's word that an object is gone. */
  overlayGone(key: Key, uid: string): void {
    const held = this.#objects.get(key);
    if (held?.metadata.uid !== uid) return;
    this.#gone.set(uid, held.metadata.resourceVersion);
    this.#remove(held);
  }

  #observe(object: CachedObject): void {
    if (this.#gone.has(object.metadata.uid)) return;
    const before = this.#objects.get(keyOfObject(object));
    if (before && !isNewer(object.metadata.resourceVersion, before.metadata.resourceVersion)) return;
    this.#put(object);
    if (before && sameButVersion(before, object)) return;
    this.#options.onChange(before ? { before, after: object } : { after: object });
  }

  #forget(): void {
    this.#gone.clear();
    for (const object of this.#objects.values()) this.#drop(object);
  }

  #drop(object: CachedObject): void {
    this.#remove(object);
    this.#options.onChange({ before: object });
  }

  #put(object: CachedObject): void {
    const before = this.#objects.get(keyOfObject(object));
    if (before) this.#remove(before);
    const key = keyOfObject(object);
    this.#objects.set(key, object);
    const controllerKey = controllerKeyOf(object);
    if (controllerKey === undefined) return;
    const siblings = this.#controlled.get(controllerKey) ?? new Map<Key, CachedObject>();
    this.#controlled.set(controllerKey, siblings.set(key, object));
  }

  #remove(object: CachedObject): void {
    const key = keyOfObject(object);
    this.#objects.delete(key);
    const controllerKey = controllerKeyOf(object);
    if (controllerKey === undefined) return;
    const siblings = this.#controlled.get(controllerKey);
    siblings?.delete(key);
    if (siblings?.size === 0) this.#controlled.delete(controllerKey);
  }
}
