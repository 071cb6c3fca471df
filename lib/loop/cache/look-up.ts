import { ApiError } from '#lib/errors.ts';
import type { KindRef } from '#lib/kind/reference.ts';
import type { ApiObject, KubeApi } from '#lib/kube/api.ts';
import { keyOf } from '#lib/loop/key.ts';
import type { ObjectCache } from './cache.ts';

/** One object of a namespace, and the cache that is to know of it. */
export interface LiveTarget {
  readonly kind: KindRef;
  readonly cache: ObjectCache;
  readonly namespace: string;
  readonly name: string;
}

/**
 * Looks an object up live and takes over what is found, so that the next snapshot shows it.
 *
 * @returns `undefined` when there is none
 */
export const lookUp = async (
  api: Pick<KubeApi, 'get'>,
  { kind, cache, ...target }: LiveTarget,
): Promise<ApiObject | undefined> => {
  const key = keyOf(target.namespace, target.name);
  // What is gone is what was known when the question was asked, not what has come since.
  const held = cache.get(key);
  try {
    const live = await api.get(kind, target);
    cache.overlay(live);
    return live;
  } catch (error) {
    if (!(error instanceof ApiError && error.httpStatus === 404)) throw error;
    if (held) cache.overlayGone(key, held.metadata.uid);
    return undefined;
  }
};
