import type { ObservedPod } from '#lib/desired/pod-state.ts';

/** So many are named; the rest is counted. */
const NAMED = 3;

/**
 * Who else controls pods that a selector means, other than an earlier set of the same name, whose pods are about to go.
 *
 * @param pods - all pods that wear the labels of the selector
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

/** Rivals, as a sentence names them. */
export const namesOfRivals = (rivals: readonly string[]): string => {
  const more = rivals.length > NAMED ? ` and ${rivals.length - NAMED} more` : '';
  return `${rivals.slice(0, NAMED).join(', ')}${more}`;
};
