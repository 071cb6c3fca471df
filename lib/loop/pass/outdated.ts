import type { Context } from '#lib/loop/context/context.ts';
import { type Key, namespaceOf } from '#lib/loop/context/key.ts';
import { liveResource } from './live-child.ts';
import type { Snapshot } from './snapshot.ts';

/** True when the resource is known to be another than the snapshot shows: changed, or gone. */
export const hasChanged = ({ resources }: Context, { key, resourceVersion }: Snapshot): boolean =>
  resources.get(key)?.metadata.resourceVersion !== resourceVersion;

/** How long a pass waits for data that is being read again, in milliseconds. */
export const DOUBT_MS = 250;

/** Whether the known surroundings of a resource may be newer than a restored storage. */
export const isInDoubt = (context: Pick<Context, 'isInDoubt'>, key: Key): boolean =>
  context.isInDoubt?.(namespaceOf(key)) ?? false;

/**
 * Gets the resource live. The watch would show it as well, but it can be silent for minutes; until then every pass would use an
 * old spec, or create children of a resource that is gone.
 */
export const isOutdated = async (context: Context, seen: Snapshot): Promise<boolean> => {
  try {
    await liveResource(context, seen);
  } catch (error) {
    context.log.info({ key: seen.key, error }, 'cannot look the resource up');
  }
  return hasChanged(context, seen);
};
