import { carries, type Labels } from '#lib/desired/observe/selection.ts';
import { isFinished, isTerminating, type ObservedPod } from '#lib/workload/pod-state.ts';
import { podRevision } from '#lib/workload/pod-template.ts';

/** The pods that the set controls, split by whether they still match the selector. */
export interface Claim {
  readonly mine: readonly ObservedPod[];
  /**
   * Pods that no longer match because a label was removed, for example to debug the pod. The set releases these pods, which keep
   * running.
   */
  readonly quarantined: readonly ObservedPod[];
}

/**
 * Splits the pods by whether they match the selector. A pod that is being deleted stays with the set, because its name is not
 * free yet.
 */
export const claimPods = (pods: readonly ObservedPod[], selector: Labels): Claim => {
  const isMine = (pod: ObservedPod): boolean => carries(pod, selector) || isTerminating(pod);
  if (pods.every(isMine)) return { mine: pods, quarantined: [] };
  return { mine: pods.filter(isMine), quarantined: pods.filter((pod) => !isMine(pod)) };
};

/** The criteria for the adoption of orphans. */
export interface Adoption {
  /** The label of the set on its own pods, such as `app.example.com/podset: web`. */
  readonly own: Labels;
  /** The annotation by which a pod is given to a set, such as `app.example.com/adopt`; its value is `true`. */
  readonly consent: string;
  /** The desired revision. */
  readonly revision: string;
}

/**
 * Orphans that may be adopted. A set deletes its pods, and its author may lack the right to delete pods. A set therefore adopts a
 * pod only if its annotation allows the adoption, or if an earlier set of this name created the pod. The labels of the set and of
 * a revision identify such a pod. To set these labels or the annotation, a user needs the right to write pods.
 *
 * @param orphans - pods without a controller that the set selects
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
