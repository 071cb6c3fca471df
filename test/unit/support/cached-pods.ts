import type { ApiObject, WatchEvent } from '#lib/kube/interface/api.ts';
import { ObjectCache } from '#lib/loop/cache/cache.ts';
import type { CacheChange } from '#lib/loop/cache/cache-options.ts';
import { projectionOf } from '#lib/loop/cache/projection/projection.ts';
import { keyOf } from '#lib/loop/context/key.ts';

interface Traits {
  readonly name?: string;
  readonly uid?: string;
  readonly phase?: string;
  readonly owner?: string;
}

/** A pod at a version. */
export const pod = (
  version: number,
  { name = 'a', uid = `uid-${name}`, phase = 'Pending', owner }: Traits = {},
): ApiObject => {
  const reference = { apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet', name: 'web', controller: true };
  const metadata = {
    name,
    namespace: 'default',
    uid,
    resourceVersion: String(version),
    ...(owner === undefined ? {} : { ownerReferences: [{ ...reference, uid: owner }] }),
  };
  return { apiVersion: 'v1', kind: 'Pod', metadata, status: { phase, podIP: `10.0.0.${version}` } };
};

/** A change as a watch delivers it. */
export const event = (type: 'ADDED' | 'MODIFIED' | 'DELETED', object: ApiObject): WatchEvent => ({ type, object });
/** The cache key of the pod "a". */
export const key = keyOf('default', 'a');

const phaseOf = (object: CacheChange['after']): string =>
  object === undefined ? '-' : (object as unknown as { status: { phase: string } }).status.phase;

/** A cache after a list at version 10, and the changes that the cache reported: names and phases. */
export const filled = (items: readonly ApiObject[] = []) => {
  const changes: string[] = [];
  const cache = new ObjectCache({
    project: projectionOf(['status.phase']),
    onChange: ({ before, after }) =>
      changes.push(`${(after ?? before)?.metadata.name ?? ''}: ${phaseOf(before)} → ${phaseOf(after)}`),
  });
  cache.replace(items, '10');
  changes.length = 0;
  return { cache, changes, version: () => cache.get(key)?.metadata.resourceVersion };
};
