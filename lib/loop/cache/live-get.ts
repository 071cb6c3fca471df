import type { KindRef } from '#lib/kind/handles/reference.ts';
import { tryGet } from '#lib/kube/client/missing.ts';
import type { ApiObject, KubeApi } from '#lib/kube/interface/api.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import type { ObjectCache } from './cache.ts';

/** The name and namespace of an object, its kind, and the cache of the kind. */
export interface LiveTarget {
  readonly kind: KindRef;
  readonly cache: ObjectCache;
  readonly namespace: string;
  readonly name: string;
}

/**
 * Reads an object from the API server and updates the cache with the response, also when the object does not exist.
 *
 * @returns `undefined` when the object does not exist
 * @throws {ApiError} for any other refusal, including a 404 that does not name the object
 * @throws {ConnectionError} when there was no response
 */
export const liveGet = async (
  api: Pick<KubeApi, 'get'>,
  { kind, cache, ...target }: LiveTarget,
): Promise<ApiObject | undefined> => {
  const key = keyOf(target.namespace, target.name);
  // A 404 removes only the object that was cached when the request began, and not an object that was cached later.
  const asked = cache.ask(target.namespace, target.name);
  const live = await tryGet(api, kind, target);
  if (live) cache.overlay(live, { asked });
  else if (asked.held) cache.overlayGone(key, asked.held.metadata.uid, { isCertain: false });
  return live;
};
