import type { Pod as KubePod } from 'kubernetes-types/core/v1.js';

/** A pod as it is observed: parts of it may be missing. */
export type ObservedPod = Readonly<KubePod>;

/** Pods by what they count as. */
export interface PodGroups {
  /** Pending, running or unknown, and not being deleted: these are the replicas. */
  readonly active: readonly ObservedPod[];
  /** Being deleted; their names are not free yet. */
  readonly terminating: readonly ObservedPod[];
  /** Succeeded or failed for good; they are replaced. */
  readonly finished: readonly ObservedPod[];
}

const isTerminating = (pod: ObservedPod): boolean => pod.metadata?.deletionTimestamp !== undefined;

const isFinished = (pod: ObservedPod): boolean => pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded';

const groupOf = (pod: ObservedPod): keyof PodGroups =>
  isTerminating(pod) ? 'terminating' : isFinished(pod) ? 'finished' : 'active';

/** Sorts pods into groups; the order within each stays. Phase Unknown counts as active: the pod may well be running. */
export const groupPods = (pods: readonly ObservedPod[]): PodGroups => {
  const groups = { active: [], terminating: [], finished: [] } as Record<keyof PodGroups, ObservedPod[]>;
  for (const pod of pods) groups[groupOf(pod)].push(pod);
  return groups;
};

const readyCondition = (pod: ObservedPod) => pod.status?.conditions?.find(({ type }) => type === 'Ready');

/** True when the pod's condition Ready is True. */
export const isReady = (pod: ObservedPod): boolean => readyCondition(pod)?.status === 'True';

/** Since when the pod has been ready; `undefined` when it is not. */
export const readySince = (pod: ObservedPod): string | undefined =>
  isReady(pod) ? readyCondition(pod)?.lastTransitionTime : undefined;

/** The name of an observed pod. */
export const podName = (pod: ObservedPod): string => pod.metadata?.name ?? '';

/**
 * The classic pod: busybox that sleeps. Its security context satisfies the Pod Security level *restricted*; busybox
 * itself would run as root, so a user id is named.
 *
 * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted
 */
export const classicPod = (name: string, labels: Readonly<Record<string, string>>): KubePod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { ...labels } },
  spec: {
    securityContext: { runAsNonRoot: true, runAsUser: 65_534, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [
      {
        name: 'busybox',
        image: 'busybox',
        command: ['sleep', '3600'],
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
      },
    ],
  },
});
