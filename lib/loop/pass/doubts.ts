import type { KindRef } from '#lib/kind/handles/reference.ts';
import type { Context } from '#lib/loop/context/context.ts';
import type { Key } from '#lib/loop/context/key.ts';
import { slot } from '#lib/loop/context/memory.ts';
import { lookUpChild, targetFrom } from './live-child.ts';

/** A child that was written without an answer: a live get must show the outcome. */
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
 * Gets the objects of writes without an answer live, before anything is computed from an outdated state: after a deletion whose
 * answer was lost, the function would delete another child. A child that was read is not read again because another one could
 * not be.
 *
 * @returns false when it could not be found out; then nothing must be computed
 */
export const settleDoubts = async (context: Context, key: Key): Promise<boolean> => {
  const { memory, resources, log } = context;
  const place = { key, uid: memory.get(key)?.uid ?? '' };
  const doubts = doubtsSlot.get(context, place);
  const namespace = resources.get(key)?.metadata.namespace;
  if (doubts.length === 0 || namespace === undefined) return true;
  const looks = await Promise.allSettled(
    doubts.map(async (doubt) => lookUpChild(context, targetFrom(namespace, doubt))),
  );
  doubtsSlot.set(
    context,
    place,
    doubts.filter((_, index) => looks[index]?.status === 'rejected'),
  );
  const failed = looks.find((look) => look.status === 'rejected');
  if (failed) log.info({ key, error: failed.reason as unknown }, 'cannot get the objects of writes without an answer');
  return failed === undefined;
};
