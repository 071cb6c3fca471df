import type { ObservedPod } from '#lib/workload/pod-state.ts';

/** Maximum number of controllers that a message names. */
const NAMED = 3;

/**
 * Lists other controllers of the given pods. Terminating pods do not count. An earlier set of the same name is not listed,
 * because the garbage collector deletes its pods.
 *
 * @param pods - all pods with the labels of the selector
 * @returns kinds and names, such as `PodSet "blue"`, sorted
 */
export const rivalsIn = (
  pods: readonly ObservedPod[],
  set: { readonly name: string; readonly uid: string; readonly group: string; readonly kind: string },
): readonly string[] => {
  const rivals = pods.flatMap(({ metadata }) => {
    if (metadata?.deletionTimestamp !== undefined) return [];
    const owner = metadata?.ownerReferences?.find(({ controller }) => controller === true);
    if (owner === undefined || owner.uid === set.uid) return [];
    const isPredecessor =
      owner.kind === set.kind && owner.apiVersion.startsWith(`${set.group}/`) && owner.name === set.name;
    return isPredecessor ? [] : [`${owner.kind} "${owner.name}"`];
  });
  return [...new Set(rivals)].toSorted();
};

/** Formats other controllers for a message. At most three are named; the others are counted. */
export const namesOfRivals = (rivals: readonly string[]): string => {
  const more = rivals.length > NAMED ? ` and ${rivals.length - NAMED} more` : '';
  return `${rivals.slice(0, NAMED).join(', ')}${more}`;
};
