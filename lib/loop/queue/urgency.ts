import { isDeepStrictEqual } from 'node:util';
import type { CacheChange } from '#lib/loop/cache/cache-options.ts';

/**
 * The reasons for a pass, most urgent first.
 *
 * - `deletion`: the resource is being deleted, or is gone.
 * - `begun`: a pass of priority `user` left work to the next pass, such as the status, or a check of that status.
 * - `user`: the resource was created, or its spec or metadata changed; or a pass of priority `begun` left more than such a check.
 * - `child`: any other known reason. For example, a child, an object of a look-up or the status changed, the time came for which
 *   the function waits, or an effect ended.
 * - `unseen`: the resource existed at the start, and no status was written for its current spec.
 * - `resync`: no change is known, for example at the first list, or for a retry after a failure.
 */
export const priorities = ['deletion', 'begun', 'user', 'child', 'unseen', 'resync'] as const;

/** The reason for a pass, which is also its priority; see {@link priorities}. */
export type Priority = (typeof priorities)[number];

/** The more urgent of two priorities. */
export const moreUrgent = (a: Priority, b: Priority): Priority =>
  priorities.indexOf(a) <= priorities.indexOf(b) ? a : b;

/**
 * The priority of the next pass, when a pass left work to the next one. After an edit, the second pass comes before the first
 * passes after edits of other resources, so that the status is soon written. A third pass waits for its turn, unless it only
 * checks a written status. Such a check usually ends the work, so that the loop can free the memory of the earlier passes.
 */
export const urgencyOfRest = (priority: Priority, { looksAtStatus }: { readonly looksAtStatus: boolean }): Priority => {
  if (priority === 'user') return 'begun';
  return priority === 'begun' && !looksAtStatus ? 'user' : priority;
};

/**
 * The part of an object that users change. A change of the spec changes the generation in the metadata. Parents such as ConfigMaps
 * and Services have no generation.
 */
const editedPart = (object: NonNullable<CacheChange['after']>): object => {
  const metadata = { ...object.metadata, resourceVersion: '' };
  return 'generation' in metadata ? metadata : { ...object, metadata, status: undefined };
};

/** Whether the last status was written for the current spec. Changes of the metadata do not count. */
const isSeen = (object: NonNullable<CacheChange['after']>): boolean => {
  const { status } = object as { readonly status?: { readonly observedGeneration?: unknown } };
  return status?.observedGeneration === (object.metadata as { readonly generation?: number }).generation;
};

/**
 * The priority of a resource at the start. For a resource that is not being deleted, `observedGeneration` shows whether a status
 * was written for the current spec.
 */
export const firstUrgencyOf = (resource: NonNullable<CacheChange['after']>): Priority => {
  if (resource.metadata.deletionTimestamp !== undefined) return 'deletion';
  return isSeen(resource) ? 'resync' : 'unseen';
};

/**
 * The priority of a pass after a change of a resource.
 *
 * @param change - the change of the resource itself
 */
export const urgencyOf = ({ before, after }: CacheChange): Priority => {
  if (!after || after.metadata.deletionTimestamp !== undefined) return 'deletion';
  const isStatusOnly = before !== undefined && isDeepStrictEqual(editedPart(before), editedPart(after));
  return isStatusOnly ? 'child' : 'user';
};
