import type { ApiMeta } from '#lib/kube/interface/api.ts';
import { compareResourceVersions, isOlderVersion } from '#lib/kube/interface/resource-version.ts';
import type { CachedObject } from '#lib/loop/cache/projection/projection.ts';
import type { Moment } from './gone-marks.ts';
import { scopeCovers, type WatchScope } from './gone-marks.ts';
import type { Objects } from './objects.ts';

/**
 * How reliable the content of a cache is.
 *
 * Flow: a watch breaks off → its objects are unsure until an event or a response shows them. Storage was restored → a scope is
 * in doubt until a list that began afterwards is in the cache.
 */
export class CacheTrust {
  readonly #objects: Objects;
  readonly #doubted = new Set<WatchScope>();
  readonly #unsure = new Set<string>();

  constructor(objects: Objects) {
    this.#objects = objects;
  }

  /** The objects of a scope may be of a future that was lost: from now on every list counts. */
  doubt(scope: WatchScope): void {
    this.#doubted.add(scope);
  }

  /** A list that began after `doubt` is in the cache. */
  regain(scope: WatchScope): void {
    this.#doubted.delete(scope);
  }

  isDoubted(scope: WatchScope): boolean {
    return this.#doubted.has(scope);
  }

  /** A watch broke off: its objects may be gone without an event. */
  brokeOff(scope: WatchScope): void {
    for (const { metadata } of this.#objects.all())
      if (scopeCovers(scope, metadata.namespace)) this.#unsure.add(metadata.uid);
  }

  /** An event or a response showed the object, or it is no longer cached. */
  heardOf(uid: string): void {
    this.#unsure.delete(uid);
  }

  /** Whether a watch broke off since an object was last shown. */
  isUnsure(uid: string): boolean {
    return this.#unsure.has(uid);
  }
}

/** The state of the cache when a live read or a write began; its answer is compared with this. */
export interface CacheMoment {
  readonly at: Moment;
  readonly held: CachedObject | undefined;
  /** Everything up to this resource version had been seen. */
  readonly through: string;
}

/** A complete list for the cache. */
export interface Listing {
  readonly resourceVersion: string;
  /** The list replaces any known state, because the storage was restored. */
  readonly isTruth: boolean;
  /** Everything up to this resource version had been seen before. */
  readonly through: string;
  /** The uids of objects that were marked as gone. */
  readonly marked: ReadonlySet<string>;
}

/**
 * The version that a list proves to be of a lost state: the version of a cached object that the list shows older although the
 * list is as new; or the last version of the cache, where the list shows an older object that was not cached.
 *
 * @returns undefined when the list proves nothing
 */
export const versionLostBy = (
  { resourceVersion, through, marked }: Listing,
  { uid, resourceVersion: shown }: ApiMeta,
  held: CachedObject | undefined,
): string | undefined => {
  if (held && compareResourceVersions(held.metadata.resourceVersion, resourceVersion) > 0) return undefined;
  if (!held && marked.has(uid)) return undefined;
  const seen = held?.metadata.resourceVersion ?? through;
  return isOlderVersion(shown, seen) ? seen : undefined;
};
