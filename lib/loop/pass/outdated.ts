import type { Context } from '#lib/loop/context/context.ts';
import { type Key, namespaceOf } from '#lib/loop/context/key.ts';
import { liveResource } from './live-child.ts';
import type { Snapshot } from './snapshot.ts';

/** True when the resource is known to differ from the snapshot: it has changed, or is gone. */
export const hasChanged = ({ resources }: Context, { key, resourceVersion }: Snapshot): boolean =>
  resources.get(key)?.metadata.resourceVersion !== resourceVersion;

/** The delay of a pass while the loop reads all objects again after a restore of the storage, in milliseconds. */
export const DOUBT_MS = 250;

/** Whether the cached objects of a resource may be newer than the storage of the API server, after a restore from a backup. */
export const isInDoubt = (context: Pick<Context, 'isInDoubt'>, key: Key): boolean =>
  context.isInDoubt?.(namespaceOf(key)) ?? false;

/**
 * Makes a live get of the resource, because a watch can be silent for minutes. Without the live get, passes would use an
 * outdated spec, or create children of a deleted resource.
 *
 * @returns whether the resource differs from the snapshot; if the live get fails, the cache decides
 */
export const isOutdated = async (context: Context, seen: Snapshot): Promise<boolean> => {
  try {
    await liveResource(context, seen);
  } catch (error) {
    context.log.info({ key: seen.key, error }, 'cannot look the resource up');
  }
  return hasChanged(context, seen);
};
