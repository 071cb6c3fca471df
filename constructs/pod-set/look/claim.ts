import { isFinished, isTerminating, type ObservedPod } from '#lib/desired/pod-state.ts';
import { podRevision } from '#lib/desired/pod-template.ts';
import { carries, type Labels } from '#lib/desired/selection.ts';

/** Controlled pods by whether they still wear what selects them. */
export interface Claim {
  readonly mine: readonly ObservedPod[];
  /** Somebody took a label off, to keep the pod aside and look at it: it is let go, and runs on. */
  readonly quarantined: readonly ObservedPod[];
}

/** Sorts out the pods that are not selected any more. One that is being deleted stays: its name is not free yet. */
export const claimPods = (pods: readonly ObservedPod[], selector: Labels): Claim => {
  const isMine = (pod: ObservedPod): boolean => carries(pod, selector) || isTerminating(pod);
  if (pods.every(isMine)) return { mine: pods, quarantined: [] };
  return { mine: pods.filter(isMine), quarantined: pods.filter((pod) => !isMine(pod)) };
};

/**
 * Orphans that may be taken in. Where the user named no selector, only those that a set of this name has made: they carry
 * its label, as all that are offered do, and that of a revision.
 *
 * @param orphans - pods that nobody controls and that wear what selects pods of the set
 * @returns those of the wanted revision first, then by name
 */
export const adoptable = (
  orphans: readonly ObservedPod[],
  { hasSelector, revision }: { readonly hasSelector: boolean; readonly revision: string },
): readonly ObservedPod[] => {
  if (orphans.length === 0) return orphans;
  const fit = orphans.filter((pod) => !isFinished(pod) && (hasSelector || podRevision(pod) !== undefined));
  return fit.toSorted((a, b) => Number(podRevision(b) === revision) - Number(podRevision(a) === revision));
};
