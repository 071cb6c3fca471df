import type { ApiMeta } from '#lib/kube/interface/api.ts';
import { compareResourceVersions, isOlderVersion } from '#lib/kube/interface/resource-version.ts';
import type { CachedObject } from '#lib/loop/cache/projection/projection.ts';
import type { Moment } from './gone-marks.ts';
import { scopeCovers, type WatchScope } from './gone-marks.ts';
import type { Objects } from './objects.ts';

/**
 * Records how reliable the cached state is.
 *
 * When a watch breaks off, each of its objects is unsure until a list, an event or a response shows the object. After a restore
 * of the storage, the scope of a watch ({@link WatchScope}) is in doubt until a list that began after the restore is in the
 * cache.
 */
export class CacheTrust {
  readonly #objects: Objects;
  /**
   * The scopes whose cached objects may belong to a state that a restore removed. While a scope is in the set, every list replaces
   * the cached objects.
   */
  readonly doubted = new Set<WatchScope>();
  readonly #unsure = new Set<string>();

  constructor(objects: Objects) {
    this.#objects = objects;
  }

  /** Records that a watch broke off: its objects may be gone without an event. */
  brokeOff(scope: WatchScope): void {
    for (const { metadata } of this.#objects.all())
      if (scopeCovers(scope, metadata.namespace)) this.#unsure.add(metadata.uid);
  }

  /** Records that a list, an event or a response showed the object, or that the object is no longer cached. */
  heardOf(uid: string): void {
    this.#unsure.delete(uid);
  }

  /** Whether a watch broke off since a list, an event or a response last showed the object. */
  isUnsure(uid: string): boolean {
    return this.#unsure.has(uid);
  }
}

/** The state of the cache at the start of a live get or a write. The response is compared with this state. */
export interface CacheMoment {
  readonly at: Moment;
  readonly held: CachedObject | undefined;
  /** The resource version up to which the watch had delivered all changes. */
  readonly through: string;
}

/** The properties of a complete list that decide which of its objects replace the cached ones. */
export interface Listing {
  readonly resourceVersion: string;
  /** True when the list also replaces newer objects, because the storage was restored. */
  readonly isTruth: boolean;
  /** The resource version up to which the watch had delivered all changes before the list. */
  readonly through: string;
  /** The uids of the listed objects that had a gone mark (`GoneMark`) before the list. */
  readonly marked: ReadonlySet<string>;
}

/**
 * The resource version that a restore has lost, if a list proves a restore. There are two proofs:
 *
 * - The list is at least as new as a cached object, and shows the object in an older version. The version of the cached object is
 *   lost.
 * - The list shows an object that was not cached and had no gone mark, although the object is older than the state that the watch
 *   had delivered. The version of that state is lost.
 *
 * @returns undefined when the list proves no restore
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
