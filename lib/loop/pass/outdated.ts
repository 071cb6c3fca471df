import { lookUp } from '#lib/loop/cache/look-up.ts';
import type { Context } from '#lib/loop/context.ts';
import type { Seen } from './seen.ts';

/** True when the resource is known to be another than the snapshot shows: changed, or gone. */
export const hasChanged = ({ resources }: Context, { key, resourceVersion }: Seen): boolean =>
  resources.get(key)?.metadata.resourceVersion !== resourceVersion;

/**
 * Looks the resource up. The watch would tell as well, but it may be silent for minutes; until then every pass would go by
 * a spec that is not wanted any more, or create children of a resource that is gone.
 */
export const isOutdated = async (context: Context, seen: Seen): Promise<boolean> => {
  const { api, kind, resources, log } = context;
  const { name, namespace } = seen.resource.metadata;
  try {
    await lookUp(api, { kind, cache: resources, namespace, name });
  } catch (error) {
    log.info({ key: seen.key, error }, 'cannot look the resource up');
  }
  return hasChanged(context, seen);
};
