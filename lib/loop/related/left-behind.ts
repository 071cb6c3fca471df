import { isAllowedPlace } from '#lib/desired/marks/allowed-place.ts';
import { ownerLabel } from '#lib/desired/marks/names.ts';
import { elsewhereWord } from '#lib/desired/marks/ownership.ts';
import { ApiError, isReconcileError, NotLeadingError } from '#lib/errors.ts';
import type { KindRef } from '#lib/kind/handles/reference.ts';
import { liveGet } from '#lib/loop/cache/live-get.ts';
import type { CachedObject } from '#lib/loop/cache/projection/projection.ts';
import { type Context, cacheOf } from '#lib/loop/context/context.ts';
import { type Key, keyOf, nameIn, namespaceOf } from '#lib/loop/context/key.ts';
import { identityOf } from '#lib/plan/identity.ts';

/**
 * The maximum number of deletions in one call. Any client that may create objects in an allowed place can create objects that seem
 * to be children of a resource that is gone. The passes of other resources must not wait until all of them are deleted.
 */
const DELETIONS = 50;

/** A child elsewhere of a resource that seems to be gone. */
interface LeftBehind {
  readonly kind: KindRef;
  readonly object: CachedObject;
  /** The uid of the resource in the mark of the child. */
  readonly owner: string | undefined;
}

/**
 * The children elsewhere that name the resource with this key, and a uid that the cached resource does not have. Children that
 * are being deleted are left out.
 */
const leftBehind = (
  context: Pick<Context, 'definition' | 'children' | 'resources' | 'ownNamespace'>,
  key: Key,
): readonly LeftBehind[] => {
  const { definition, resources, ownNamespace } = context;
  const word = elsewhereWord(ownerLabel(definition), { namespace: namespaceOf(key), name: nameIn(key) });
  const uid = resources.get(key)?.metadata.uid;
  return definition.owns.flatMap((kind) => {
    const { elsewhere } = kind;
    if (elsewhere === undefined) return [];
    const identity = identityOf(definition, kind);
    const places = { namespaces: elsewhere.namespaces, ownNamespace };
    return cacheOf(context, kind)
      .ownedBy('', word)
      .filter(
        ({ metadata }) => metadata.deletionTimestamp === undefined && isAllowedPlace(metadata.namespace ?? '', places),
      )
      .map((object) => ({ kind, object, owner: identity.ownerOf(object)?.uid }))
      .filter(({ owner }) => owner !== uid);
  });
};

/** Deletes a child in the observed state. The uid and the resource version ensure that its marks are still the observed ones. */
const deleteChild = async (context: Context, key: Key, { kind, object, owner }: LeftBehind): Promise<void> => {
  const { namespace = '', name, uid, resourceVersion } = object.metadata;
  const cache = cacheOf(context, kind);
  try {
    const lingering = await context.api.delete(kind, { namespace, name }, { uid, resourceVersion });
    if (lingering) cache.overlay(lingering);
    else cache.overlayGone(keyOf(namespace, name), uid);
    context.log.info(
      { key, kind: kind.kind, namespace, name, owner },
      'child elsewhere deleted, because its resource is gone',
    );
  } catch (error) {
    if (!(error instanceof ApiError) || (error.httpStatus !== 404 && error.httpStatus !== 409)) throw error;
    await liveGet(context.api, { kind, cache, namespace, name });
  }
};

/** @returns false if the API server refused a request of the call, or did not respond; logs the error */
const succeeds = async ({ log }: Context, key: Key, call: () => Promise<void>): Promise<boolean> => {
  try {
    await call();
    return true;
  } catch (error) {
    if (!isReconcileError(error) || error instanceof NotLeadingError) throw error;
    log.error({ key, error }, 'cannot delete the children elsewhere of a resource that is gone; trying again');
    return false;
  }
};

/**
 * Deletes the children elsewhere of earlier resources with this key. The finalizer makes such children rare. They exist when a
 * user removed the finalizer, when the operator had no rights in a namespace for some time, when a create was under way while the
 * resource was deleted, and for extensions, because parents get no finalizer.
 *
 * A live get first shows that the API server does not have the resource either, or has another resource with the name.
 *
 * @returns `done`; `more` if the call must be repeated, because there were too many children for one call; `failed` if the API
 * server refused a request, or did not respond: the call must be repeated later
 */
export const deleteLeftBehind = async (context: Context, key: Key): Promise<'done' | 'more' | 'failed'> => {
  const left = leftBehind(context, key);
  if (left.length === 0) return 'done';
  const { api, kind, resources, stopping } = context;
  // The first child is random, so that children whose deletion the API server always refuses do not block the others.
  const first = left.length > DELETIONS ? Math.floor(context.random() * left.length) : 0;
  let isDone = true;
  const isCompared = await succeeds(context, key, async () => {
    const live = await liveGet(api, { kind, cache: resources, namespace: namespaceOf(key), name: nameIn(key) });
    for (const child of [...left.slice(first), ...left.slice(0, first)].slice(0, DELETIONS)) {
      if (stopping.aborted || child.owner === live?.metadata.uid) continue;
      isDone = (await succeeds(context, key, async () => deleteChild(context, key, child))) && isDone;
    }
  });
  if (!isCompared || !isDone) return 'failed';
  return left.length > DELETIONS && !stopping.aborted ? 'more' : 'done';
};
