import { type Context, remember } from '#lib/loop/context.ts';
import type { Key } from '#lib/loop/key.ts';
import { lookUpChild, targetFrom } from './live-child.ts';

/**
 * Looks up what became of writes that got no answer, before anything is computed from what may be stale: a deletion that
 * went through unseen would be followed by another one.
 *
 * @returns false when it could not be found out; then nothing must be computed
 */
export const settleDoubts = async (context: Context, key: Key): Promise<boolean> => {
  const { memory, resources, log } = context;
  const { doubts = [], uid = '' } = memory.get(key) ?? {};
  const namespace = resources.get(key)?.metadata.namespace;
  if (doubts.length === 0 || namespace === undefined) return true;
  try {
    await Promise.all(doubts.map(async (doubt) => lookUpChild(context, targetFrom(namespace, doubt))));
    remember(context, { key, uid }, { doubts: [] });
    return true;
  } catch (error) {
    log.info({ key, error }, 'cannot find out what became of writes without an answer');
    return false;
  }
};
