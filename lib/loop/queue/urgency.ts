import { isDeepStrictEqual } from 'node:util';
import type { CacheChange } from '#lib/loop/cache/cache-options.ts';
import type { Priority } from './priority.ts';

const withoutVersion = ({ metadata }: NonNullable<CacheChange['after']>): object => ({
  ...metadata,
  resourceVersion: '',
});

/** Whether the last status was written about this spec. Of edited metadata nothing tells. */
const isSeen = (object: NonNullable<CacheChange['after']>): boolean => {
  const { status } = object as { readonly status?: { readonly observedGeneration?: unknown } };
  return status?.observedGeneration === (object.metadata as { readonly generation?: number }).generation;
};

/**
 * How urgent the change of a resource is.
 *
 * @param change - of the resource itself
 * @param isInitial - true while what is there is listed for the first time: only its generation tells whether somebody has changed it
 */
export const urgencyOf = ({ before, after }: CacheChange, isInitial: boolean): Priority => {
  if (!after || after.metadata.deletionTimestamp !== undefined) return 'deletion';
  if (isInitial && !before) return isSeen(after) ? 'resync' : 'unseen';
  // The spec has its generation; what is left is the status, which is the loop's own.
  const isStatusOnly = before !== undefined && isDeepStrictEqual(withoutVersion(before), withoutVersion(after));
  return isStatusOnly ? 'child' : 'user';
};
