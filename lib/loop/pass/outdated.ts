import { lookUp } from '#lib/loop/cache/look-up.ts';
import type { Context } from '#lib/loop/context.ts';
import type { Seen } from './observe.ts';

/**
 * Looks the resource up. The watch would tell as well, but it may be silent for minutes; until then every pass would go by
 * a spec that is not wanted any more, or create children of a resource that is gone.
 */
export const isOutdated = async ({ api, kind, resources, log }: Context, seen: Seen): Promise<boolean> => {
  const { name, namespace } = seen.resource.metadata;
  try {
    await lookUp(api, { kind, cache: resources, namespace, name });
  } catch (error) {
    log.info({ key: seen.key, error }, 'cannot look the resource up');
  }
  return resources.get(seen.key)?.metadata.resourceVersion !== seen.resourceVersion;
};
