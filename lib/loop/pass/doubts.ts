import type { KindRef } from '#lib/kind/handles/reference.ts';
import type { Context } from '#lib/loop/context/context.ts';
import type { Key } from '#lib/loop/context/key.ts';
import { slot } from '#lib/loop/context/memory.ts';
import { lookUpChild, targetFrom } from './live-child.ts';

/** A child with a last write that may or may not have succeeded. A live get must show the state of the child. */
export interface Doubt {
  readonly kind: KindRef;
  readonly name: string;
}

/** The children of a resource that are in doubt. */
export const doubtsSlot = slot<readonly Doubt[]>('doubts', {
  empty: [],
  inspect: (doubts) => doubts.map(({ kind, name }) => `${kind.kind} ${name}`),
});

/**
 * Makes a live get for each child in doubt, unless the cache does not have the resource. Without these gets, the snapshot could
 * be outdated, and the function could, for example, delete a second child. If some gets fail, the next call repeats only the
 * failed gets.
 *
 * @returns false if a get failed; the caller must not call the function then
 */
export const settleDoubts = async (context: Context, key: Key): Promise<boolean> => {
  const { memory, resources, log } = context;
  const place = { key, uid: memory.get(key)?.uid ?? '' };
  const doubts = doubtsSlot.get(context, place);
  const namespace = resources.get(key)?.metadata.namespace;
  if (doubts.length === 0 || namespace === undefined) return true;
  const errors = new Map<Doubt, unknown>();
  const look = async (doubt: Doubt): Promise<unknown> =>
    lookUpChild(context, targetFrom(namespace, doubt)).catch((error: unknown) => errors.set(doubt, error));
  await Promise.all(doubts.map(look));
  doubtsSlot.set(context, place, [...errors.keys()]);
  const [error] = errors.values();
  if (errors.size > 0) log.info({ key, error }, 'cannot get the objects of writes without an answer');
  return errors.size === 0;
};
