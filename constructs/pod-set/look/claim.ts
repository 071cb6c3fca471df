import { carries, type Labels } from '#lib/desired/observe/selection.ts';
import { isFinished, isTerminating, type ObservedPod } from '#lib/workload/pod-state.ts';
import { podRevision } from '#lib/workload/pod-template.ts';

/** The pods that the set controls, split by whether they still match the selector. */
export interface Claim {
  readonly mine: readonly ObservedPod[];
  /**
   * Pods that no longer match because a label was changed or removed, for example to debug the pod. The operator releases these
   * pods, which keep running.
   */
  readonly quarantined: readonly ObservedPod[];
}

/**
 * Splits the pods by whether they match the selector. Terminating pods always count as matching, because their names are not free
 * yet.
 */
export const claimPods = (pods: readonly ObservedPod[], selector: Labels): Claim => {
  const isMine = (pod: ObservedPod): boolean => carries(pod, selector) || isTerminating(pod);
  if (pods.every(isMine)) return { mine: pods, quarantined: [] };
  return { mine: pods.filter(isMine), quarantined: pods.filter((pod) => !isMine(pod)) };
};

/** The criteria for the adoption of orphans. */
export interface Adoption {
  /** The owner label of the set, such as `app.example.com/podset: web`. */
  readonly own: Labels;
  /** The key of the annotation that allows the adoption of a pod if its value is `true`, such as `app.example.com/adopt`. */
  readonly consent: string;
  /** The hash of the desired revision. */
  readonly revision: string;
}

/**
 * Selects the orphans that the operator may adopt. Finished pods are excluded. A pod must have the annotation, or the owner label
 * and a revision label from an earlier set of this name. The reason: the operator may delete adopted pods, and the author of the
 * set may lack the right to delete pods. To set these labels or the annotation, a user needs the right to write pods.
 *
 * @param orphans - pods without a controller that match the selector of the set
 * @returns orphans of the desired revision first; otherwise in the given order
 */
export const adoptable = (
  orphans: readonly ObservedPod[],
  { own, consent, revision }: Adoption,
): readonly ObservedPod[] => {
  if (orphans.length === 0) return orphans;
  const isGiven = (pod: ObservedPod): boolean =>
    pod.metadata?.annotations?.[consent] === 'true' || (carries(pod, own) && podRevision(pod) !== undefined);
  const fit = orphans.filter((pod) => !isFinished(pod) && isGiven(pod));
  return fit.toSorted((a, b) => Number(podRevision(b) === revision) - Number(podRevision(a) === revision));
};
