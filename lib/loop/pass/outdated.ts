import type { Context } from '#lib/loop/context/context.ts';
import { type Key, namespaceOf } from '#lib/loop/context/key.ts';
import { liveResource } from './live-child.ts';
import type { Snapshot } from './snapshot.ts';

/** Whether the cache shows that the resource has changed since the snapshot, or is gone. */
export const hasChanged = ({ resources }: Context, { key, resourceVersion }: Snapshot): boolean =>
  resources.get(key)?.metadata.resourceVersion !== resourceVersion;

/** The delay of a pass while the caches are in doubt after a restore of the storage, in milliseconds. */
export const DOUBT_MS = 250;

/**
 * Whether the caches of the namespace of a resource may be newer than the storage of the API server, after a restore from a
 * backup.
 */
export const isInDoubt = (context: Pick<Context, 'isInDoubt'>, key: Key): boolean =>
  context.isInDoubt?.(namespaceOf(key)) ?? false;

/**
 * Whether the resource has changed since the snapshot or is gone, after a live get. If the get fails, the cache decides. A watch
 * alone can be silent for minutes, and passes would use an outdated spec, or create children of a deleted resource.
 */
export const isOutdated = async (context: Context, seen: Snapshot): Promise<boolean> => {
  try {
    await liveResource(context, seen);
  } catch (error) {
    context.log.info({ key: seen.key, error }, 'cannot look the resource up');
  }
  return hasChanged(context, seen);
};
