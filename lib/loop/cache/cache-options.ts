import type { OwnerReference } from '#lib/kind/handles/reference.ts';
import type { CachedObject, Projection } from '#lib/loop/cache/projection/projection.ts';
import type { CacheEvidence } from '#lib/loop/cache/restored/restores.ts';
import type { CacheMoment } from './trust.ts';

/** An object before and after a change. `before` is absent when the object was added, `after` when it was removed. */
export interface CacheChange {
  readonly before?: CachedObject;
  readonly after?: CachedObject;
  /** True when the change came with the response to a status write by the controller of this resource. */
  readonly isOwnStatus?: true;
}

/** Options of `ObjectCache.overlay`. */
export interface OverlayOptions extends Pick<CacheChange, 'isOwnStatus'> {
  /**
   * The result of `ObjectCache.ask`. With this moment, an older response is accepted if it proves a restore of the storage, and a
   * response to a request that began after the gone mark ends the mark.
   */
  readonly asked?: CacheMoment;
}

/** Options of a cache: how it reduces objects, and its listeners. */
export interface CacheOptions {
  readonly project: Projection;
  /** The only namespaces that are watched, each with its own watch. @default all, with one watch */
  readonly namespaces?: readonly string[];
  /** Whether an owner is cluster-scoped, so that its children may be in every namespace. @default always false */
  readonly isClusterScoped?: (owner: OwnerReference) => boolean;
  /** True when the watch has a filter, such as a label selector, and delivers only some of the objects. @default false */
  readonly isPartial?: boolean;
  /**
   * Called when a list or a watch event adds or removes an object, or changes a field that the cache keeps or the operator owns.
   * Also called for the removal of an object when a response shows another object with the same name.
   */
  readonly onChange: (change: CacheChange) => void;
  /**
   * Called for each change by a response (`ObjectCache.overlay`, `overlayGone`), except for the removal that `onChange` reports.
   * `onChange` is not called again when the watch delivers the same change. @default ignores them
   */
  readonly onOverlay?: (change: CacheChange) => void;
  /**
   * Called when a response proves that the storage of the API server was restored. The changes in the response are reported
   * afterwards. @default ignores it
   */
  readonly onRestored?: (evidence: CacheEvidence) => void;
}

/** The contents of a cache as JSON, in the order of the last changes, for bug reports and tests. */
export interface CacheState {
  /** The objects by key, each as `uid@resourceVersion`. */
  readonly objects: Readonly<Record<string, string>>;
  /** Objects with a gone mark, each as `uid@resourceVersion` with the last known version; see `GoneMark`. */
  readonly gone: readonly string[];
  /** The resource version up to which the watch has delivered all changes; "0" before the first list. */
  readonly seenThrough: string;
}
