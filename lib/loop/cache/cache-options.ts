import type { OwnerReference } from '#lib/kind/reference.ts';
import type { CachedObject, Projection } from './projection.ts';

/** An object before and after; at least one of the two is there. */
export interface CacheChange {
  readonly before?: CachedObject;
  readonly after?: CachedObject;
  /** The answer to a write of the status by the resource's own kind told of it. */
  readonly isOwnStatus?: true;
}

/** How a cache reduces objects and whom it tells of changes. */
export interface CacheOptions {
  readonly project: Projection;
  /** The only namespaces that are watched, each on its own. @default all, at once */
  readonly namespaces?: readonly string[];
  /** Tells whether an owner is cluster-scoped: such a one has children in every namespace. @default none is */
  readonly isClusterScoped?: (owner: OwnerReference) => boolean;
  /** The watch shows only a part of what there is, as one that is filtered by label. @default false */
  readonly isPartial?: boolean;
  /** Called for changes that a list or a watch brought, when something that is kept differs. */
  readonly onChange: (change: CacheChange) => void;
  /** Called for overlays, as the watch does not tell of what is known. @default nobody is told */
  readonly onOverlay?: (change: CacheChange) => void;
}
