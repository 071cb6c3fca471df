import { isDeepStrictEqual } from 'node:util';
import type { CacheChange } from '#lib/loop/cache/cache-options.ts';

/**
 * Why a resource needs a pass, most urgent first. `deletion`: it is being deleted, or gone. `begun`: a pass of priority `user`
 * left work to the next pass, such as the status after children were written, and a look at that status. `user`: it was created, or its spec or metadata
 * changed. `child`: an owned or read object changed, an instant came, or an effect ended. `unseen`: it existed at the start, and
 * its status is older than its spec: it was created or edited while no operator ran. `resync`: no known change (the first list,
 * another attempt after a failure).
 */
export const priorities = ['deletion', 'begun', 'user', 'child', 'unseen', 'resync'] as const;

/** See {@link priorities}. */
export type Priority = (typeof priorities)[number];

/** The more urgent of two. */
export const moreUrgent = (a: Priority, b: Priority): Priority =>
  priorities.indexOf(a) <= priorities.indexOf(b) ? a : b;

/**
 * How urgent the rest is that a pass leaves to the next one: an edit has a second pass before others have their first, so that its
 * status comes soon. What takes more passes waits for its turn, except for the look at a status that was just written: it mostly
 * ends the work, and what is remembered until then.
 */
export const urgencyOfRest = (priority: Priority, { looksAtStatus }: { readonly looksAtStatus: boolean }): Priority => {
  if (priority === 'user') return 'begun';
  return priority === 'begun' && !looksAtStatus ? 'user' : priority;
};

const withoutVersion = ({ metadata }: NonNullable<CacheChange['after']>): object => ({
  ...metadata,
  resourceVersion: '',
});

/** Whether the last status was written about this spec. Edited metadata does not show. */
const isSeen = (object: NonNullable<CacheChange['after']>): boolean => {
  const { status } = object as { readonly status?: { readonly observedGeneration?: unknown } };
  return status?.observedGeneration === (object.metadata as { readonly generation?: number }).generation;
};

/** How urgent a resource is when the work on it begins: only its generation shows whether its spec was changed. */
export const firstUrgencyOf = (resource: NonNullable<CacheChange['after']>): Priority => {
  if (resource.metadata.deletionTimestamp !== undefined) return 'deletion';
  return isSeen(resource) ? 'resync' : 'unseen';
};

/**
 * The urgency of a change of a resource.
 *
 * @param change - of the resource itself
 */
export const urgencyOf = ({ before, after }: CacheChange): Priority => {
  if (!after || after.metadata.deletionTimestamp !== undefined) return 'deletion';
  // The spec has its generation; otherwise the change is in the status, which the loop wrote.
  const isStatusOnly = before !== undefined && isDeepStrictEqual(withoutVersion(before), withoutVersion(after));
  return isStatusOnly ? 'child' : 'user';
};
