import type { OwnerReference } from '#lib/kind/handles/reference.ts';
import type { CachedObject, Projection } from '#lib/loop/cache/projection/projection.ts';
import type { CacheEvidence } from '#lib/loop/cache/restored/restores.ts';

/** An object before and after a change; at least one of the two states exists. */
export interface CacheChange {
  readonly before?: CachedObject;
  readonly after?: CachedObject;
  /** True when the change came with the response to a write of the status by the kind of the resource itself. */
  readonly isOwnStatus?: true;
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
  /** Called for each change by a list or a watch event that changes a field which the cache keeps. */
  readonly onChange: (change: CacheChange) => void;
  /**
   * Called for each change by an overlay, because the watch does not repeat a change that the cache already has. @default
   * ignores them
   */
  readonly onOverlay?: (change: CacheChange) => void;
  /**
   * Called when a response proves that the storage of the API server was restored, before its changes are passed on. @default
   * ignores it
   */
  readonly onRestored?: (evidence: CacheEvidence) => void;
}

/** The contents of a cache, in the order of arrival: JSON, for bug reports and for comparing states. */
export interface CacheState {
  /** The objects by key, each as `uid@resourceVersion`. */
  readonly objects: Readonly<Record<string, string>>;
  /** Objects that are gone, but without a deletion event so far, with the last known version: `uid@resourceVersion`. */
  readonly gone: readonly string[];
  readonly seenThrough: string;
}
