import type { AnyKindDefinition, ResourceMeta } from '#lib/desired/definition.ts';
import { isAllowedPlace } from '#lib/desired/marks/allowed-place.ts';
import { markedParentOf } from '#lib/desired/marks/elsewhere.ts';
import { ownerLabel } from '#lib/desired/marks/names.ts';
import type { KindRef } from '#lib/kind/handles/reference.ts';
import type { ObjectCache } from '#lib/loop/cache/cache.ts';
import type { CachedObject } from '#lib/loop/cache/projection/projection.ts';
import { type Key, keyOf } from '#lib/loop/context/key.ts';
import { identityOf } from '#lib/plan/identity.ts';

type Parent = Pick<ResourceMeta, 'namespace' | 'name' | 'uid'>;

/** A handle in `owns` of a definition, and the cache of its objects. */
export interface OwnedCache {
  readonly definition: AnyKindDefinition;
  readonly kind: KindRef;
  readonly cache: ObjectCache;
  /** See `Context.ownNamespace`. */
  readonly ownNamespace?: string | undefined;
}

/** The children of one kind of a resource, sorted by name. */
export const childrenIn = (
  { definition, kind, cache, ownNamespace }: OwnedCache,
  parent: Parent,
): readonly CachedObject[] => {
  const identity = identityOf(definition, kind);
  const { namespace, word } = identity.placeOf(parent);
  const owned = cache.ownedBy(namespace, word);
  if (kind.elsewhere === undefined) return owned;
  const places = { namespaces: kind.elsewhere.namespaces, ownNamespace };
  return owned.filter(
    (object) => identity.ownerOf(object)?.uid === parent.uid && isAllowedPlace(object.metadata.namespace ?? '', places),
  );
};

/** The number of children of one kind, with children elsewhere of earlier resources of the same name. Does not sort or copy. */
export const childCountIn = ({ definition, kind, cache }: OwnedCache, parent: Parent): number => {
  const { namespace, word } = identityOf(definition, kind).placeOf(parent);
  return cache.countOwnedBy(namespace, word);
};

/** The key of the resource of a child elsewhere, even if the resource is gone; undefined for any other object. */
export const elsewhereKeyOf = (definition: AnyKindDefinition, object: CachedObject): Key | undefined => {
  const marked = markedParentOf(object);
  return marked?.definition === ownerLabel(definition) ? keyOf(marked.namespace, marked.owner.name) : undefined;
};
