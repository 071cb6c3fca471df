import type { ApiMeta, ApiObject, WatchEvent } from '#lib/kube/interface/api.ts';
import { isNewerVersion, isOlderVersion } from '#lib/kube/interface/resource-version.ts';
import { sameButVersion } from '#lib/loop/cache/projection/fingerprint.ts';
import type { CachedObject } from '#lib/loop/cache/projection/projection.ts';
import { type Key, keyOf } from '#lib/loop/context/key.ts';
import type { CacheOptions, CacheState, OverlayOptions } from './cache-options.ts';
import { EVERYTHING, GoneMarks, scopeCovers, type WatchScope } from './gone-marks.ts';
import { keyOfObject, Objects } from './objects.ts';
import type { Selection } from './selection-index.ts';
import { type CacheMoment, CacheTrust, type Listing, versionLostBy } from './trust.ts';
import { UnconfirmedWrites } from './unconfirmed-writes.ts';

const NOTHING_SEEN = '0';

/**
 * The known objects of one resource: the state of the watch, overlaid with newer responses to writes and live gets of this
 * process.
 *
 * Flow: a reflector calls `replace` and `event`; passes call `overlay` and `overlayGone` with the responses to their requests,
 * and read the objects.
 *
 * Guarantees: an object goes back to an older version only if a list or a response proves a restore of the storage, or while the
 * scope is in doubt after a restore ({@link CacheTrust}). Writes of this process are visible at once, and stay visible until the
 * watch has caught up. `overlay` ignores a response that is older than the state of the watch, apart from the exceptions in
 * {@link OverlayOptions}. Therefore a deleted object does not come back. Objects are deep-frozen.
 *
 * Assumptions: resource versions of one resource can be compared (KEP-5504), and a watch delivers them in order.
 *
 * Caveats: `onChange` does not report most changes by `overlay` and `overlayGone`; listeners need `onOverlay`, too.
 */
export class ObjectCache {
  readonly #options: CacheOptions;
  readonly #objects: Objects;
  /** Objects that are gone although the watch has not yet delivered their deletion events. */
  readonly gone = new GoneMarks();
  /** Responses that the watch has not confirmed yet. Undefined for a watch without a filter, which delivers every write. */
  readonly #unconfirmed: UnconfirmedWrites | undefined;
  /** The resource version up to which each watch has delivered all changes. */
  readonly #seenThrough = new Map<WatchScope, string>();
  readonly trust: CacheTrust;
  readonly #mirrors: ObjectCache[] = [];

  constructor(options: CacheOptions) {
    this.#options = options;
    this.#objects = new Objects(options.isClusterScoped ?? (() => false));
    this.trust = new CacheTrust(this.#objects);
    this.#unconfirmed = options.isPartial === true ? new UnconfirmedWrites() : undefined;
  }

  /** Passes all later calls of `overlay` and `overlayGone` on to another cache, which has objects of the same resource. */
  mirrorTo(cache: ObjectCache): void {
    this.#mirrors.push(cache);
  }

  /** The only namespaces that are watched; undefined for all namespaces. */
  get namespaces(): readonly string[] | undefined {
    return this.#options.namespaces;
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: Key): CachedObject | undefined {
    return this.#objects.get(key);
  }

  /** All objects; an object that is removed during the iteration is left out. */
  all(): Iterable<CachedObject> {
    return this.#objects.all();
  }

  /**
   * @param namespace - the namespace of the place that `ChildIdentity.placeOf` returns for the owner
   * @param owner - the word of this place
   * @returns the objects at this place of the index, sorted by name
   */
  ownedBy(namespace: string, owner: string): readonly CachedObject[] {
    return this.#objects.ownedBy(namespace, owner);
  }

  countOwnedBy(namespace: string, owner: string): number {
    return this.#objects.countOwnedBy(namespace, owner);
  }

  /** @returns the selected objects, in no order */
  select(selection: Selection): readonly CachedObject[] {
    return this.#objects.select(selection);
  }

  /** @param namespace - the namespace of the watch, if each namespace has its own watch */
  inspect(namespace: WatchScope = EVERYTHING): CacheState {
    const objects = this.#objects.inspect(namespace);
    return { objects, gone: this.gone.inspect(namespace), seenThrough: this.seenThrough(namespace) };
  }

  /**
   * Replaces the cached state by a complete list. Objects that are newer than the list stay, unless the storage was restored.
   *
   * @param namespace - the namespace of the list, if each namespace has its own list; objects of other namespaces stay
   */
  replace(items: readonly ApiObject[], resourceVersion: string, namespace: WatchScope = EVERYTHING): void {
    const through = this.seenThrough(namespace);
    // Lists are consistent, so a list that is older than the cached state shows that the storage was restored.
    const isOlder = isNewerVersion(through, resourceVersion);
    if (isOlder && isOlderVersion(resourceVersion, through))
      this.#options.onRestored?.({ by: 'list', seen: through, shown: resourceVersion });
    const isTruth = isOlder || this.trust.doubted.has(namespace);
    this.#seenThrough.set(namespace, resourceVersion);
    const listed = new Set(items.map((item) => keyOf(item.metadata.namespace, item.metadata.name)));
    const versions = new Map(items.map(({ metadata }) => [metadata.uid, metadata.resourceVersion]));
    const marked = new Set([...versions.keys()].filter((uid) => this.gone.has(uid)));
    if (isTruth) this.gone.forget(namespace);
    else this.gone.listed(namespace, { versions, resourceVersion });
    for (const object of this.#objects.all()) {
      const { metadata } = object;
      const isKnown = isTruth || !isNewerVersion(metadata.resourceVersion, resourceVersion);
      if (isKnown && scopeCovers(namespace, metadata.namespace) && !listed.has(keyOfObject(object))) this.#drop(object);
    }
    for (const item of items) this.#list(this.#options.project(item), { resourceVersion, isTruth, through, marked });
    for (const uid of versions.keys()) this.#heardOf(uid);
    this.#evict(resourceVersion, namespace);
  }

  /**
   * Applies an event of the watch.
   *
   * @param namespace - the namespace of the watch, if each namespace has its own watch
   */
  event(event: WatchEvent, namespace: WatchScope = EVERYTHING): void {
    if (event.type === 'BOOKMARK') {
      this.#seenThrough.set(namespace, event.resourceVersion);
      this.#evict(event.resourceVersion, namespace);
      return;
    }
    const { metadata } = event.object;
    const { uid, resourceVersion } = metadata;
    this.#seenThrough.set(namespace, resourceVersion);
    this.#heardOf(uid);
    this.#evict(resourceVersion, namespace);
    if (event.type !== 'DELETED') {
      this.gone.shown(uid, resourceVersion);
      return this.#observe(this.#options.project(event.object));
    }
    this.gone.delete(uid);
    const held = this.#objects.namesakeOf(metadata);
    if (held?.metadata.uid === uid) this.#drop(held);
  }

  /** @returns the cached object with the same name, uid and resource version; undefined if there is none */
  heldAs(metadata: ApiMeta): CachedObject | undefined {
    const held = this.#objects.namesakeOf(metadata);
    const { uid, resourceVersion } = held?.metadata ?? {};
    return uid === metadata.uid && resourceVersion === metadata.resourceVersion ? held : undefined;
  }

  reduced(object: ApiObject): CachedObject {
    return this.#options.project(object);
  }

  /** Records the state of the cache at the start of a live get or a write. Pass the result to `overlay` with the response. */
  ask(namespace: string, name: string): CacheMoment {
    const scope = this.#scopeOf(namespace);
    const through = scope === undefined ? NOTHING_SEEN : this.seenThrough(scope);
    return { at: this.gone.now(), held: this.#objects.namesakeOf({ namespace, name }), through };
  }

  /**
   * Applies the response to a write or a live get of this process. A response that is older than the cached state is ignored, and
   * so is a response for an object with a gone mark.
   */
  overlay(answer: ApiObject, { asked, ...told }: OverlayOptions = {}): void {
    for (const mirror of this.#mirrors) mirror.overlay(answer);
    const { uid, resourceVersion, namespace } = answer.metadata;
    const scope = this.#scopeOf(namespace);
    // An object outside the watched namespaces would never be updated.
    if (scope === undefined) return;
    this.trust.heardOf(uid);
    const isOverruling = asked !== undefined && this.#overrules(answer, scope, asked);
    // The object exists, because the request began after the gone mark. If it was deleted since, the deletion event will come.
    const isBack = asked !== undefined && this.gone.readLive(uid, asked.at);
    const isNews = isOverruling || isBack || isNewerVersion(resourceVersion, this.seenThrough(scope));
    if (this.gone.has(uid) || !isNews) return;
    const object = this.#options.project(answer);
    const held = this.#objects.namesakeOf(object.metadata);
    if (held && !isOverruling && !isNewerVersion(resourceVersion, held.metadata.resourceVersion)) return;
    // Another object had the same name. Listeners learn of its deletion now, and its later deletion event is ignored.
    if (held && held.metadata.uid !== uid) {
      this.#markGone(held);
      this.#drop(held);
    }
    this.#objects.put(object);
    this.#unconfirmed?.add(uid, { key: keyOfObject(object), namespace, version: resourceVersion });
    const before = held?.metadata.uid === uid ? held : undefined;
    if (before && sameButVersion(before, object)) return;
    this.#options.onOverlay?.({ ...(before && { before }), after: object, ...told });
  }

  /** Projects a cached object again from a live get with the same resource version, to replace a stub when there is room. */
  complete(live: ApiObject): void {
    const held = this.heldAs(live.metadata);
    if (held) this.#objects.put(this.#options.project(live));
  }

  /**
   * Removes an object that is gone according to a response of the API server.
   *
   * @param options - `isCertain`: true for a response to our own deletion. A 404 is not certain: a later event of the same
   * object disproves the 404. @default true
   */
  overlayGone(key: Key, uid: string, { isCertain = true }: { readonly isCertain?: boolean } = {}): void {
    for (const mirror of this.#mirrors) mirror.overlayGone(key, uid, { isCertain });
    const held = this.#objects.get(key);
    if (held?.metadata.uid !== uid) return;
    this.#markGone(held, isCertain);
    this.#remove(held);
    this.#options.onOverlay?.({ before: held });
  }

  /** Whether a response is older than the state that was cached when its request began, so that it proves a restore. */
  #overrules({ metadata }: ApiObject, scope: WatchScope, { held, through }: CacheMoment): boolean {
    const { uid, resourceVersion: shown, name } = metadata;
    if (held !== this.#objects.namesakeOf(metadata)) return false;
    // A watch without a label filter delivers every object, so an older object that is not cached shows a restore.
    const isMissed = this.#unconfirmed === undefined && !this.gone.has(uid) && this.seenThrough(scope) === through;
    const seen = held?.metadata.resourceVersion ?? (isMissed ? through : NOTHING_SEEN);
    if (!isOlderVersion(shown, seen)) return false;
    this.#options.onRestored?.({ by: 'answer', object: name, seen, shown });
    return true;
  }

  #list(object: CachedObject, listing: Listing): void {
    const { uid, resourceVersion: shown, name } = object.metadata;
    const held = this.#objects.namesakeOf(object.metadata);
    const seen = versionLostBy(listing, object.metadata, held);
    if (seen !== undefined && !listing.isTruth) this.#options.onRestored?.({ by: 'list', object: name, seen, shown });
    if (!held || !(listing.isTruth || seen !== undefined) || this.gone.has(uid)) return this.#observe(object);
    this.#objects.put(object);
    if (!sameButVersion(held, object)) this.#options.onChange({ before: held, after: object });
  }

  #heardOf(uid: string): void {
    this.#unconfirmed?.delete(uid);
    this.trust.heardOf(uid);
  }

  #observe(object: CachedObject): void {
    if (this.gone.has(object.metadata.uid)) return;
    const before = this.#objects.namesakeOf(object.metadata);
    if (before && !isNewerVersion(object.metadata.resourceVersion, before.metadata.resourceVersion)) return;
    this.#objects.put(object);
    if (before && sameButVersion(before, object)) return;
    this.#options.onChange(before ? { before, after: object } : { after: object });
  }

  /** The scope of the watch that covers a namespace; undefined when no watch does. */
  #scopeOf(namespace: string | undefined): WatchScope | undefined {
    if (this.#options.namespaces === undefined) return EVERYTHING;
    return namespace !== undefined && this.#options.namespaces.includes(namespace) ? namespace : undefined;
  }

  /** The resource version up to which the watch of a scope has delivered all changes; "0" before the first list. */
  seenThrough(scope: WatchScope = EVERYTHING): string {
    return this.#seenThrough.get(scope) ?? NOTHING_SEEN;
  }

  #markGone({ metadata: { uid, namespace, resourceVersion: version } }: CachedObject, isCertain = true): void {
    this.gone.add(uid, { namespace, version, isCertain });
  }

  /** Drops objects of responses that the watch has passed without delivery, because its filter excludes these objects. */
  #evict(version: string, scope: WatchScope): void {
    for (const { uid, key } of this.#unconfirmed?.passed(version, (namespace) => scopeCovers(scope, namespace)) ?? []) {
      const held = this.#objects.get(key);
      if (held?.metadata.uid === uid) this.#drop(held);
    }
  }

  #remove(object: CachedObject): void {
    this.#objects.remove(object);
    this.trust.heardOf(object.metadata.uid);
  }

  #drop(object: CachedObject): void {
    this.#remove(object);
    this.#options.onChange({ before: object });
  }
}
