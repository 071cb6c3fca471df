import { byName } from '#lib/desired/scoped-name.ts';
import type { OwnerReference } from '#lib/kind/reference.ts';
import type { ApiMeta, ApiObject, WatchEvent } from '#lib/kube/api.ts';
import { compareResourceVersions } from '#lib/kube/resource-version.ts';
import { type Key, keyOf } from '#lib/loop/key.ts';
import type { CacheChange, CacheOptions } from './cache-options.ts';
import type { CachedObject } from './projection.ts';
import { sameButVersion } from './same-object.ts';
import { type Selection, SelectionIndex } from './selection-index.ts';
import type { CacheState } from './state.ts';
import { Unseen } from './unseen.ts';

/** An object that is gone. */
interface Gone {
  readonly namespace: string | undefined;
  readonly version: string;
}

/** The controlling owner of an object, if it has one. */
export const controllerOf = (object: Pick<CachedObject, 'metadata'>): OwnerReference | undefined =>
  object.metadata.ownerReferences?.find((owner) => owner.controller === true);

const keyOfObject = ({ metadata }: Pick<CachedObject, 'metadata'>): Key => keyOf(metadata.namespace, metadata.name);

/** What one watch covers: a namespace, or everything. */
type Scope = string;
const EVERYTHING: Scope = '';

const NOTHING_SEEN = '0';

const covers = (scope: Scope, namespace: string | undefined): boolean => scope === EVERYTHING || scope === namespace;

const isNewer = (a: string, b: string): boolean => compareResourceVersions(a, b) > 0;

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
 * Caveats: what an overlay has told, the watch does not tell again: whoever listens to `onChange` and not to `onOverlay` misses it.
 */
export class ObjectCache {
  readonly #options: CacheOptions;
  readonly #objects = new Map<Key, CachedObject>();
  /** By namespace and uid of the controller: a reference from another namespace means nothing, unless the owner is in none. */
  readonly #controlled = new Map<Key, Map<Key, CachedObject>>();
  readonly #selected = new SelectionIndex(() => true);
  readonly #uncontrolled = new SelectionIndex((object) => controllerOf(object) === undefined);
  /** Objects that are known to be gone before the watch tells, by uid, as they were last known. */
  readonly #gone = new Map<string, Gone>();
  /** Our own writes that the watch has not brought, if it may never do so. */
  readonly #unseen: Unseen | undefined;
  /** Everything up to this resource version has been seen, by what is watched. */
  readonly #seenThrough = new Map<Scope, string>();

  constructor(options: CacheOptions) {
    this.#options = options;
    this.#unseen = options.isPartial === true ? new Unseen() : undefined;
  }

  /** The only namespaces that are watched; undefined when it is all of them. */
  get namespaces(): readonly string[] | undefined {
    return this.#options.namespaces;
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

  /**
   * @param namespace - that of the controller; empty for a cluster-scoped one, whose objects may be anywhere
   * @returns the objects whose controller has this uid, sorted by name
   */
  controlledBy(namespace: string, uid: string): readonly CachedObject[] {
    const objects = [...(this.#controlled.get(keyOf(namespace, uid))?.values() ?? [])];
    return objects.toSorted(byName);
  }

  /** Number of the objects that `controlledBy` returns. */
  countControlledBy(namespace: string, uid: string): number {
    return this.#controlled.get(keyOf(namespace, uid))?.size ?? 0;
  }

  /** @returns the objects of a namespace, or of all, that carry some labels; in no order */
  select(selection: Selection): readonly CachedObject[] {
    return this.#selected.select(selection, this.#objects);
  }

  /** @returns those of them that nobody controls */
  selectUncontrolled(selection: Selection): readonly CachedObject[] {
    return this.#uncontrolled.select(selection, this.#objects);
  }

  /** @param namespace - of which watch, if there is one for each namespace */
  inspect(namespace: Scope = EVERYTHING): CacheState {
    const objects = [...this.#objects]
      .filter(([, object]) => covers(namespace, object.metadata.namespace))
      .map(([key, { metadata }]) => [key, `${metadata.uid}@${metadata.resourceVersion}`]);
    const gone = [...this.#gone].filter(([, object]) => covers(namespace, object.namespace));
    return {
      objects: Object.fromEntries(objects),
      gone: gone.map(([uid, { version }]) => `${uid}@${version}`),
      seenThrough: this.#seen(namespace),
    };
  }

  /**
   * Takes a complete list, which holds everything up to `resourceVersion`.
   *
   * @param namespace - of which it is a list, if there is one for each namespace; the others' objects stay
   */
  replace(items: readonly ApiObject[], resourceVersion: string, namespace: Scope = EVERYTHING): void {
    // Lists are consistent, so an older one means that the server's storage was restored: what we know is from its future.
    if (isNewer(this.#seen(namespace), resourceVersion)) this.#forget(namespace);
    this.#seenThrough.set(namespace, resourceVersion);
    const listed = new Set(items.map((item) => keyOf(item.metadata.namespace, item.metadata.name)));
    const uids = new Set(items.map((item) => item.metadata.uid));
    for (const [uid, last] of this.#gone) {
      // A list that is older than the object cannot know of its end.
      const isKnown = covers(namespace, last.namespace) && !isNewer(last.version, resourceVersion);
      if (isKnown && !uids.has(uid)) this.#gone.delete(uid);
    }
    for (const [key, object] of this.#objects) {
      const isKnown =
        covers(namespace, object.metadata.namespace) && !isNewer(object.metadata.resourceVersion, resourceVersion);
      if (isKnown && !listed.has(key)) this.#drop(object);
    }
    for (const item of items) this.#observe(this.#options.project(item));
    uids.forEach((uid) => this.#unseen?.delete(uid));
    this.#evict(resourceVersion, namespace);
  }

  /**
   * Takes an event of the watch.
   *
   * @param namespace - of which watch, if there is one for each namespace
   */
  event(event: WatchEvent, namespace: Scope = EVERYTHING): void {
    if (event.type === 'BOOKMARK') {
      this.#seenThrough.set(namespace, event.resourceVersion);
      this.#evict(event.resourceVersion, namespace);
      return;
    }
    const { uid, resourceVersion } = event.object.metadata;
    this.#seenThrough.set(namespace, resourceVersion);
    this.#unseen?.delete(uid);
    this.#evict(resourceVersion, namespace);
    const object = this.#options.project(event.object);
    if (event.type !== 'DELETED') {
      this.#observe(object);
      return;
    }
    this.#gone.delete(object.metadata.uid);
    const held = this.#objects.get(keyOfObject(object));
    if (held?.metadata.uid === object.metadata.uid) this.#drop(held);
  }

  /** @returns the object, if it is held in this very state: the watch tells of each of our own writes what their answers told */
  heldAs({ namespace, name, uid, resourceVersion }: ApiMeta): CachedObject | undefined {
    const held = this.#objects.get(keyOf(namespace, name));
    return held?.metadata.uid === uid && held.metadata.resourceVersion === resourceVersion ? held : undefined;
  }

  /** What is kept of an object; what was reduced before is returned as it is. */
  reduced(object: ApiObject): CachedObject {
    return this.#options.project(object);
  }

  /**
   * Takes the API server's answer to a write or a look-up of our own.
   *
   * @param told - `isOwnStatus`: what was written is the status, by the kind of the resource itself
   */
  overlay(answer: ApiObject, told: Pick<CacheChange, 'isOwnStatus'> = {}): void {
    const { uid, resourceVersion, namespace } = answer.metadata;
    const scope = this.#scopeOf(namespace);
    // What no watch covers would stay for ever as it was.
    if (scope === undefined || this.#gone.has(uid) || !isNewer(resourceVersion, this.#seen(scope))) return;
    const object = this.#options.project(answer);
    const held = this.#objects.get(keyOfObject(object));
    if (held && !isNewer(resourceVersion, held.metadata.resourceVersion)) return;
    // Another object held the name: its deletion is news, and its event will not be taken for it any more.
    if (held && held.metadata.uid !== uid) {
      this.#markGone(held);
      this.#drop(held);
    }
    this.#put(object);
    this.#unseen?.add(uid, { key: keyOfObject(object), namespace, version: resourceVersion });
    const before = held?.metadata.uid === uid ? held : undefined;
    if (before && sameButVersion(before, object)) return;
    this.#options.onOverlay?.({ ...(before && { before }), after: object, ...told });
  }

  /** Takes the API server's word that an object is gone. */
  overlayGone(key: Key, uid: string): void {
    const held = this.#objects.get(key);
    if (held?.metadata.uid !== uid) return;
    this.#markGone(held);
    this.#remove(held);
    this.#options.onOverlay?.({ before: held });
  }

  #observe(object: CachedObject): void {
    if (this.#gone.has(object.metadata.uid)) return;
    const before = this.#objects.get(keyOfObject(object));
    if (before && !isNewer(object.metadata.resourceVersion, before.metadata.resourceVersion)) return;
    this.#put(object);
    if (before && sameButVersion(before, object)) return;
    this.#options.onChange(before ? { before, after: object } : { after: object });
  }

  /** The watch that covers a namespace, if there is one. */
  #scopeOf(namespace: string | undefined): Scope | undefined {
    if (this.#options.namespaces === undefined) return EVERYTHING;
    return namespace !== undefined && this.#options.namespaces.includes(namespace) ? namespace : undefined;
  }

  #seen(scope: Scope): string {
    return this.#seenThrough.get(scope) ?? NOTHING_SEEN;
  }

  #markGone({ metadata: { uid, namespace, resourceVersion } }: CachedObject): void {
    this.#gone.set(uid, { namespace, version: resourceVersion });
  }

  /** What the watch should have brought by now is not in its sight. */
  #evict(version: string, scope: Scope): void {
    for (const { uid, key } of this.#unseen?.passed(version, (namespace) => covers(scope, namespace)) ?? []) {
      const held = this.#objects.get(key);
      if (held?.metadata.uid === uid) this.#drop(held);
    }
  }

  #forget(scope: Scope): void {
    for (const [uid, { namespace }] of this.#gone) if (covers(scope, namespace)) this.#gone.delete(uid);
    for (const object of this.#objects.values()) if (covers(scope, object.metadata.namespace)) this.#drop(object);
  }

  #drop(object: CachedObject): void {
    this.#remove(object);
    this.#options.onChange({ before: object });
  }

  #controllerKey(object: CachedObject): Key | undefined {
    const controller = controllerOf(object);
    if (controller === undefined) return undefined;
    const anywhere = this.#options.isClusterScoped?.(controller) ?? false;
    return keyOf(anywhere ? '' : object.metadata.namespace, controller.uid);
  }

  #put(object: CachedObject): void {
    const before = this.#objects.get(keyOfObject(object));
    if (before) this.#remove(before);
    const key = keyOfObject(object);
    this.#objects.set(key, object);
    this.#selected.put(key, object);
    this.#uncontrolled.put(key, object);
    const controllerKey = this.#controllerKey(object);
    if (controllerKey === undefined) return;
    const siblings = this.#controlled.get(controllerKey) ?? new Map<Key, CachedObject>();
    this.#controlled.set(controllerKey, siblings.set(key, object));
  }

  #remove(object: CachedObject): void {
    const key = keyOfObject(object);
    this.#objects.delete(key);
    this.#selected.remove(key, object);
    this.#uncontrolled.remove(key, object);
    const controllerKey = this.#controllerKey(object);
    if (controllerKey === undefined) return;
    const siblings = this.#controlled.get(controllerKey);
    siblings?.delete(key);
    if (siblings?.size === 0) this.#controlled.delete(controllerKey);
  }
}
