import type { OwnerReference } from '#lib/kind/handles/reference.ts';
import type { CachedObject, Projection } from '#lib/loop/cache/projection/projection.ts';
import type { CacheEvidence } from '#lib/loop/cache/restored/restores.ts';

/** An object before and after; at least one of the two is there. */
export interface CacheChange {
  readonly before?: CachedObject;
  readonly after?: CachedObject;
  /** The change came with the answer to a write of the status by the resource's own kind. */
  readonly isOwnStatus?: true;
}

/** How a cache reduces objects, and its listener. */
export interface CacheOptions {
  readonly project: Projection;
  /** The only namespaces that are watched, each on its own. @default all, at once */
  readonly namespaces?: readonly string[];
  /** Whether an owner is cluster-scoped: such an owner has children in every namespace. @default none is */
  readonly isClusterScoped?: (owner: OwnerReference) => boolean;
  /** The watch is filtered, as one by label, and shows only a part of the objects. @default false */
  readonly isPartial?: boolean;
  /** Called for changes that a list or a watch brought, when something that is kept differs. */
  readonly onChange: (change: CacheChange) => void;
  /** Called for overlays, because the watch does not repeat known changes. @default ignores them */
  readonly onOverlay?: (change: CacheChange) => void;
  /** Called when an answer proves that the storage of the API server was restored, before its changes are passed on. @default ignores it */
  readonly onRestored?: (evidence: CacheEvidence) => void;
}

/** The contents of a cache, in the order in which they came: JSON, for bug reports and for comparing states. */
export interface CacheState {
  /** By key: `uid@resourceVersion`. */
  readonly objects: Readonly<Record<string, string>>;
  /** Gone, and not reported by the watch yet, with the last known version: `uid@resourceVersion`. */
  readonly gone: readonly string[];
  readonly seenThrough: string;
}
